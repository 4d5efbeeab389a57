import type { UserRecord } from '../storage/port.ts';
import type { TokenService } from './port.ts';
import {
  createAuthorizationServer,
  requireSafeAddress,
  toTokenError,
  toUnreachable,
} from './remote/authorization-server.ts';
import { createBreaker, createDeadlines } from './remote/guarded-calls.ts';
import { createPublishedKeys, createTokenIdentifier } from './remote/identify-token.ts';
import { issueToken } from './remote/issue-token.ts';

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

/** Uses any OAuth 2.0 server to issue access tokens. Throws TokenServiceRefused for an unsafe address. */
export function createRemoteTokenService(options: RemoteTokenServiceOptions): TokenService {
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
    async close() {
      deadlines.close();
    },
  };
}
