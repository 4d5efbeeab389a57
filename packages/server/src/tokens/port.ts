import type { UserRecord } from '../storage/port.ts';

/** What access tokens may be signed with, as JWTs name it: RFC 9068 asks for RS256, and many libraries know no EdDSA. */
export const TOKEN_ALGORITHMS = ['EdDSA', 'RS256', 'ES256'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

type TokenRequest = { clientId: string; lifetimeSeconds: number; algorithm?: TokenAlgorithm };

/** Who makes access tokens and who can say whether one is genuine: the embedded service or a remote one. */
export interface TokenService {
  readonly kind: 'embedded' | 'remote';
  /** Throws TokenServiceUnreachable or TokenServiceRefused, nothing else. */
  issue(request: TokenRequest & { user: Pick<UserRecord, 'userId'> }): Promise<IssuedToken>;
  /**
   * Where nothing can go wrong in making a token, all of it that storage has to know is settled before its user is known. Throws
   * TokenServiceRefused while none can be made.
   */
  readonly reserve?: Reserve;
  /** What storage knows a token by, taken from its text unproven; undefined when no token of ours could read like it. */
  tokenIdOf(accessToken: string): string | undefined;
  /**
   * What a genuine, unexpired token says; undefined for any other text. Whether it has been revoked, or its
   * user deleted, is for storage to say: see domain/users/authenticate.ts.
   * Rejects with TokenServiceUnreachable, nothing else, when a remote service has to be asked and cannot be.
   */
  identify(accessToken: string): Promise<IdentifiedToken | undefined>;
  /** Rejects with TokenServiceUnreachable when tokens cannot be had at the moment. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type IssuedToken = {
  accessToken: string;
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

/** `home`: of the user (home.ts), for the token's id to carry. */
export type Reserve = (request: TokenRequest & { home: number }) => Promise<ReservedToken>;
type ReservedToken = Omit<IssuedToken, 'accessToken'> & {
  /** `more`: claims of the application's own choice. */
  make(user: Pick<UserRecord, 'userId'>, more?: Record<string, unknown>): Promise<string>;
};

export type IdentifiedToken = { tokenId: string; issuedAt: number; expiresAt: number };

/** Refused connection, no answer in time, 5xx: code 0009. */
export class TokenServiceUnreachable extends Error {
  override name = 'TokenServiceUnreachable';
}

/** It answered, but no usable token came of it: code 0002. */
export class TokenServiceRefused extends Error {
  override name = 'TokenServiceRefused';
}

/** What the browser keeps between the two halves of a sign-in. */
export type PendingSignIn = { state: string; nonce: string; verifier: string };

/** What an identity provider says of somebody, by an ID token that is genuine and for us. */
export type IdentityClaims = Record<string, unknown> & { iss: string; sub: string };

/** An OpenID provider that signs people in to the portal. */
export interface IdentityProvider {
  /** Where the browser goes. */
  begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }>;
  /** What it came back with. Both throw IdentityProblem, nothing else. */
  finish(returned: URLSearchParams, pending: PendingSignIn, redirectUri: string): Promise<IdentityClaims>;
  /** Where to sign out of the provider too; undefined: it offers none, or has not answered yet. */
  endSessionUrl(returnTo: string): string | undefined;
  close(): void;
}

/** `cancelled`: by the person or the provider. `refused`: what it answered is invalid, or it did not accept us. */
export class IdentityProblem extends Error {
  override name = 'IdentityProblem';
  readonly kind: 'unreachable' | 'refused' | 'cancelled';

  constructor(kind: IdentityProblem['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
