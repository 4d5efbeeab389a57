import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { messageOf } from '../../caught.ts';
import {
  type IdentityClaims,
  IdentityProblem,
  type IdentityProvider,
  type PendingSignIn,
  TokenServiceUnreachable,
} from '../port.ts';
import { createAuthorizationServer, type Metadata, requestOptions } from './authorization-server.ts';
import { createDeadlines } from './guarded-calls.ts';

export type IdentityProviderOptions = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  timeoutMs?: number;
};

/** A person is waiting at a browser. */
const TIMEOUT_MS = 5_000;

/** Authorization code with PKCE, state and nonce; the ID token's signature is checked by the provider's published keys. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, clientId, clientSecret, scope, timeoutMs = TIMEOUT_MS } = options;
  const deadlines = createDeadlines(timeoutMs);
  const server = createAuthorizationServer({
    issuer: new URL(issuer),
    clientId,
    clientSecret,
    deadlines,
    discovery: ['oidc'],
  });
  const { client } = server;
  let latest: Metadata | undefined;
  const describe = async (): Promise<Metadata> => {
    latest = await server.metadata.get();
    return latest;
  };

  async function exchange(
    metadata: Metadata,
    returned: URLSearchParams,
    { state, nonce, verifier }: PendingSignIn,
    redirectUri: string,
  ): Promise<IdentityClaims> {
    const parameters = validateAuthResponse(metadata, client, returned, state);
    return deadlines.run(async (signal) => {
      const request = requestOptions(signal);
      const response = await authorizationCodeGrantRequest(
        ...([metadata, client, server.authenticate(metadata)] as const),
        ...([parameters, redirectUri, verifier, request] as const),
      );
      const result = await processAuthorizationCodeResponse(metadata, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await validateApplicationLevelSignature(metadata, response, request);
      const claims = getValidatedIdTokenClaims(result) as IdentityClaims;
      // Databases alter or reject other texts, which could merge two people into one.
      if (!/^\P{C}{1,255}$/u.test(claims.sub)) throw new Error('the ID token has no usable sub');
      if (metadata.userinfo_endpoint === undefined) return claims;
      // Some providers return address and groups only here.
      const more = await userInfoRequest(metadata, client, result.access_token, request);
      return merge(claims, await processUserInfoResponse(metadata, client, claims.sub, more));
    });
  }

  return {
    begin: (redirectUri) =>
      asProblem(async () => {
        const metadata = await describe();
        if (!metadata.authorization_endpoint) throw new Error('the provider has no authorization endpoint');
        const pending = {
          state: generateRandomState(),
          nonce: generateRandomNonce(),
          verifier: generateRandomCodeVerifier(),
        };
        const url = new URL(metadata.authorization_endpoint);
        const parameters = {
          client_id: clientId,
          response_type: 'code',
          redirect_uri: redirectUri,
          scope,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        };
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
        return { url: url.href, pending };
      }),
    finish: (returned, pending, redirectUri) =>
      asProblem(async () => exchange(await describe(), returned, pending, redirectUri)),
    endSessionUrl(returnTo) {
      // No one waits for the result.
      describe().catch(() => {});
      const { end_session_endpoint: endpoint } = latest ?? {};
      const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
      // The portal opens this URL: another scheme could run scripts in it.
      if (!url || !/^https?:$/.test(url.protocol)) return undefined;
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('post_logout_redirect_uri', returnTo);
      return url.href;
    },
    close: () => deadlines.close(),
  };
}

/** The ID token wins. `email_verified` applies only to the address it was sent with. */
function merge(idToken: IdentityClaims, userInfo: Record<string, unknown>): IdentityClaims {
  const merged = { ...userInfo, ...idToken };
  if (idToken.email === userInfo.email) return merged;
  const { email, email_verified, xms_edov } = idToken.email === undefined ? userInfo : idToken;
  return { ...merged, email, email_verified, xms_edov };
}

async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      throw new IdentityProblem('cancelled', `the provider returned ${error.error}`, { cause: error });
    }
    const isAway = error instanceof TokenServiceUnreachable;
    throw new IdentityProblem(isAway ? 'unreachable' : 'refused', messageOf(error), { cause: error });
  }
}
