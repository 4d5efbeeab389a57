import { genericTokenEndpointRequest, processGenericTokenEndpointResponse } from 'oauth4webapi';
import type { UserRecord } from '../storage/port.ts';
import type { TokenService } from './port.ts';
import { type IssuedToken, TokenServiceRefused } from './port.ts';
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type Metadata,
  requestOptions,
  requireSafeAddress,
  toTokenError,
  toUnreachable,
} from './remote/authorization-server.ts';
import { createBreaker, createDeadlines } from './remote/guarded-calls.ts';
import {
  checkNewToken,
  createPublishedKeys,
  createTokenIdentifier,
  isTokenText,
  type PublishedKeys,
} from './remote/identify-token.ts';

/** Enough for one exchange and a small clock difference. */
const SUBJECT_TOKEN_SECONDS = 60;

export type RemoteTokenServiceOptions = {
  /** The server's issuer, whose metadata names all endpoints. A token endpoint alone is not enough. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** For a whole call, including discovery. */
  timeoutMs?: number;
  /** In hex. Remote tokens are known by their hash, because their text is never stored. */
  hashToken(token: string): string;
  /**
   * A JWT in which Innkeeper vouches for the user; `audience` is the remote server's issuer, `clientId` the
   * application's.
   */
  signSubjectToken(request: {
    user: Pick<UserRecord, 'userId'>;
    clientId: string;
    audience: string;
    expiresInSeconds: number;
  }): Promise<string>;
  now?: () => number;
};

export type RemoteTokenService = TokenService & {
  /** Whether the server's metadata lists the grant that Innkeeper uses, or lists no grants at all. */
  listsTokenExchange(): Promise<boolean>;
};

/** Uses any OAuth 2.0 server to issue access tokens. Throws TokenServiceRefused for an unsafe address. */
export function createRemoteTokenService(options: RemoteTokenServiceOptions): RemoteTokenService {
  const { url, clientId, clientSecret, timeoutMs = 2_000, hashToken, now = Date.now } = options;
  const issuer = new URL(url);
  requireSafeAddress(issuer);
  const deadlines = createDeadlines(timeoutMs);
  const server = createAuthorizationServer({ issuer, clientId, clientSecret, deadlines });
  const keys = createPublishedKeys(server, deadlines);
  const breaker = createBreaker();

  return {
    kind: 'remote',
    async issue({ user, clientId, lifetimeSeconds }) {
      const signSubjectToken = (metadata: { issuer: string }) =>
        options.signSubjectToken({
          user,
          clientId,
          audience: metadata.issuer,
          expiresInSeconds: SUBJECT_TOKEN_SECONDS,
        });
      const request = { server, audience: clientId, lifetimeSeconds, signSubjectToken, hashToken, keys, now };
      try {
        // No retry: the caller can try again with the special token, which is still valid.
        return await deadlines.run((whole) =>
          breaker.run(() => deadlines.run((signal) => issueToken({ ...request, signal })), whole),
        );
      } catch (error) {
        throw toTokenError(error);
      }
    },
    tokenIdOf: hashToken,
    identify: createTokenIdentifier({ server, keys, deadlines, hashToken, now }),
    async ping() {
      try {
        await server.metadata.getNewer(0);
      } catch (error) {
        throw toUnreachable(error);
      }
    },
    async listsTokenExchange() {
      const { grant_types_supported: grants } = await server.metadata.get();
      return !Array.isArray(grants) || grants.includes(TOKEN_EXCHANGE);
    },
    async close() {
      deadlines.close();
    },
  };
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TEN_YEARS_SECONDS = 315_360_000;

/**
 * Token exchange (RFC 8693): trades our signed statement of who the user is for a token that the application's APIs
 * accept.
 */
async function issueToken(options: {
  server: AuthorizationServer;
  signal: AbortSignal;
  audience: string;
  lifetimeSeconds: number;
  signSubjectToken(metadata: Metadata): Promise<string>;
  hashToken(token: string): string;
  keys: PublishedKeys;
  now(): number;
}): Promise<IssuedToken> {
  const { server, signal } = options;
  const metadata = await server.metadata.get();
  const subjectToken = await options.signSubjectToken(metadata);
  signal.throwIfAborted();
  // Read the clock before the request, so that the token never appears to live longer than it does.
  const issuedAt = options.now();
  const response = await genericTokenEndpointRequest(
    metadata,
    server.client,
    server.authenticate(metadata),
    TOKEN_EXCHANGE,
    {
      subject_token: subjectToken,
      subject_token_type: JWT,
      requested_token_type: ACCESS_TOKEN,
      audience: options.audience,
    },
    requestOptions(signal),
  );
  const issued = await processGenericTokenEndpointResponse(metadata, server.client, response);
  const lifetime = issued.expires_in ?? options.lifetimeSeconds;
  if (issued.token_type !== 'bearer') throw new TokenServiceRefused(`its token is of type ${issued.token_type}`);
  if (!isTokenText(issued.access_token)) throw new TokenServiceRefused('its token cannot be sent in a header');
  if (lifetime < 1) throw new TokenServiceRefused('its token has already expired');
  const endsAt = await checkNewToken(issued.access_token, options.keys, metadata, issuedAt);
  const expiresAt = issuedAt + Math.floor(Math.min(lifetime, TEN_YEARS_SECONDS) * 1000);
  return {
    accessToken: issued.access_token,
    tokenId: options.hashToken(issued.access_token),
    issuedAt,
    expiresAt: Math.min(expiresAt, endsAt ?? expiresAt),
  };
}
