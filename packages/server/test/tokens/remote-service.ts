import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { createRemoteTokenService, type RemoteTokenServiceOptions } from '../../src/tokens/remote.ts';
import type { OidcProviderProcess } from './oidc-provider-process.ts';

export const APPLICATION = '1001_guestbook';
const user = {
  userId: randomUUID(),
  appId: 1,
  clientUserId: 'ada@example.com',
  clientUserName: 'Ada',
  createdAt: 1_700_000_000_000,
};
export const request = { user, clientId: APPLICATION, lifetimeSeconds: 3600 };

export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

/** Creates an Innkeeper's signing key, and what a token service needs to trust it. */
export async function createInnkeeperKey(): Promise<{
  signSubjectToken: RemoteTokenServiceOptions['signSubjectToken'];
  trustJwks: JSONWebKeySet;
}> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
  return {
    trustJwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'innkeeper', alg: 'EdDSA' }] },
    signSubjectToken: ({ user, clientId, audience, expiresInSeconds }) =>
      new SignJWT({ client_id: clientId })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'innkeeper' })
        .setSubject(user.userId)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${expiresInSeconds}s`)
        .sign(privateKey),
  };
}

export function connect(
  provider: Pick<OidcProviderProcess, 'url' | 'clientId' | 'clientSecret'>,
  options: Pick<RemoteTokenServiceOptions, 'signSubjectToken'> & Partial<RemoteTokenServiceOptions>,
) {
  const { url, clientId, clientSecret } = provider;
  return createRemoteTokenService({
    url,
    clientId,
    clientSecret,
    hashToken,
    timeoutMs: 30_000,
    ...options,
  });
}

/** The default of the service. Other tests have a longer limit, because the provider may be slow on a busy machine. */
export const USUAL_TIMEOUT = { timeoutMs: 2_000 };

/** For calls that must not wait for a missing response: a test that does wait fails by its own timeout. */
export const LONG_TIMEOUT = { timeoutMs: 600_000 };
