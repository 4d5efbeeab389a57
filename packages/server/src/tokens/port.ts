import type { UserRecord } from '../storage/port.ts';

/**
 * Signing algorithms for access tokens, by their JWT names. RFC 9068 requires RS256, and many libraries do not support
 * EdDSA.
 */
export const TOKEN_ALGORITHMS = ['EdDSA', 'RS256', 'ES256'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

type TokenRequest = { clientId: string; lifetimeSeconds: number; algorithm?: TokenAlgorithm };

/** Issues access tokens and tells whether one is genuine: the embedded service or a remote one. */
export interface TokenService {
  readonly kind: 'embedded' | 'remote';
  /** Throws only TokenServiceUnreachable or TokenServiceRefused. */
  issue(request: TokenRequest & { user: Pick<UserRecord, 'userId'> }): Promise<IssuedToken>;
  /**
   * Settles everything storage needs to know about a token before its user is known. Only for services where issuing
   * cannot fail later. Throws TokenServiceRefused while no token can be made.
   */
  readonly reserve?: Reserve;
  /**
   * The id under which storage knows a token, read from its text without verification; undefined if the text cannot be
   * one of our tokens.
   */
  tokenIdOf(accessToken: string): string | undefined;
  /**
   * The contents of a genuine, unexpired token; undefined for any other text. Storage says whether the token was
   * revoked or its user deleted: see domain/users/credentials.ts.
   * Rejects only with TokenServiceUnreachable, when a remote service is needed and cannot be reached.
   */
  identify(accessToken: string): Promise<IdentifiedToken | undefined>;
  /** Rejects with TokenServiceUnreachable while no tokens can be issued. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type IssuedToken = {
  accessToken: string;
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

/** `home`: the user's home (uuid.ts), which becomes part of the token's id. */
export type Reserve = (request: TokenRequest & { home: number }) => Promise<ReservedToken>;
type ReservedToken = Omit<IssuedToken, 'accessToken'> & {
  /** `more`: additional claims chosen by the application. */
  make(user: Pick<UserRecord, 'userId'>, more?: Record<string, unknown>): Promise<string>;
};

export type IdentifiedToken = { tokenId: string; issuedAt: number; expiresAt: number };

/** Connection refused, timeout, or a gateway that does not reach it (502 to 504): code 0009. */
export class TokenServiceUnreachable extends Error {
  override name = 'TokenServiceUnreachable';
}

/** It responded, but without a usable token: code 0002. */
export class TokenServiceRefused extends Error {
  override name = 'TokenServiceRefused';
}

/** What the browser stores between the two halves of a sign-in. */
export type PendingSignIn = { state: string; nonce: string; verifier: string };

/** The claims of a verified ID token that was issued to us. */
export type IdentityClaims = Record<string, unknown> & { iss: string; sub: string };

/** An OpenID provider for signing in to the portal. */
export interface IdentityProvider {
  /** Returns the URL to send the browser to. */
  begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }>;
  /** Takes the parameters the browser returned with. Both methods throw only IdentityProblem. */
  finish(returned: URLSearchParams, pending: PendingSignIn, redirectUri: string): Promise<IdentityClaims>;
  /** Where to sign out of the provider as well; undefined if it has no such page or has not responded yet. */
  endSessionUrl(returnTo: string): string | undefined;
  close(): void;
}

/** `cancelled`: by the person or the provider. `refused`: the provider's response is invalid, or it did not accept us. */
export class IdentityProblem extends Error {
  override name = 'IdentityProblem';
  readonly kind: 'unreachable' | 'refused' | 'cancelled';

  constructor(kind: IdentityProblem['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
