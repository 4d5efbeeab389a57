import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { type Check, failed, passed, withinLimit } from './check.ts';

const LIMIT_MS = 2_500;

export async function checkTokenService({ tokenService }: Config): Promise<Check> {
  if (!tokenService) return passed('token service', 'embedded');
  const { createRemoteTokenService } = await import('../../tokens/remote.ts');
  try {
    const remote = createRemoteTokenService({
      ...tokenService,
      hashToken: (token) => token,
      signSubjectToken: () => Promise.reject(new Error('the doctor issues no tokens')),
    });
    try {
      await withinLimit(remote.ping(), LIMIT_MS);
    } finally {
      await remote.close();
    }
    return passed('token service', `${tokenService.url} responds`);
  } catch (error) {
    return failed(
      'token service',
      `${tokenService.url}: ${messageOf(error)}`,
      'Check INNKEEPER_TOKEN_SERVICE_URL (the issuer address of an OAuth 2.0 server) and that the server is running.',
    );
  }
}
