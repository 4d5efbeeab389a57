import type { Config } from '../config.ts';
import type { Keyring } from '../domain/keyring.ts';
import { createEmbeddedTokenService } from './embedded.ts';
import type { SigningKeys } from './keys.ts';
import type { TokenService } from './port.ts';

/** The configured token service: the one at INNKEEPER_TOKEN_SERVICE_URL, or the embedded one. */
export async function createTokenService(
  config: Pick<Config, 'tokenService'>,
  keys: SigningKeys,
  keyring: Keyring,
  { issuer, now }: { issuer: () => string; now: () => number },
): Promise<TokenService> {
  if (!config.tokenService) return createEmbeddedTokenService({ keys, issuer, now });
  const { createRemoteTokenService } = await import('./remote.ts');
  return createRemoteTokenService({
    ...config.tokenService,
    hashToken: keyring.hashToken,
    now,
    async signSubjectToken({ user, clientId, audience, expiresInSeconds }) {
      const iat = Math.floor(now() / 1000);
      return keys.signJwt('JWT', {
        iss: issuer(),
        sub: user.userId,
        aud: audience,
        client_id: clientId,
        iat,
        exp: iat + expiresInSeconds,
      });
    },
  });
}
