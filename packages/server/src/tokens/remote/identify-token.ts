import { setTimeout as sleep } from 'node:timers/promises';
import {
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import type { IdentifiedToken } from '../port.ts';
import { type AuthorizationServer, type Metadata, requestOptions, toUnreachable } from './authorization-server.ts';
import { createBreaker } from './breaker.ts';
import type { Deadlines } from './deadlines.ts';
import { isTokenText } from './issue-token.ts';
import { createRecentlyUsed } from './remembered.ts';
import { isVerifiableJwt, type PublishedKeys, toMilliseconds, verifyJwt } from './verify-jwt.ts';

const GENUINE_KEPT = 10_000;
const UNKNOWN_KEPT = 1_000;
/** Only the server can read an opaque token and may revoke it, so it is asked again after this time … */
const INTROSPECTION_FRESH_MS = 30_000;
/**
 * … but while it cannot be reached, its last answer counts for this long (tokens we revoke ourselves fail immediately
 * anyway) …
 */
const INTROSPECTION_KEPT_MS = 300_000;
/**
 * … and a request with a last answer waits no longer than this for a newer one, so that an outage does not slow us
 * down.
 */
const PATIENCE_MS = 250;
/** After a failed try, requests that have a last answer do not ask again for this long. */
const RETRY_MS = 1_000;

type Checked = { token: IdentifiedToken; freshUntil: number; keptUntil: number };
type Claims = { exp?: number; iat?: number };

export function createTokenIdentifier(options: {
  server: AuthorizationServer;
  keys: PublishedKeys;
  deadlines: Deadlines;
  hashToken(token: string): string;
  now(): number;
}): (accessToken: string) => Promise<IdentifiedToken | undefined> {
  const { server, keys, deadlines, now } = options;
  // Not shared with issuing: made-up tokens must not block real exchanges.
  const breaker = createBreaker();
  const genuine = createRecentlyUsed<Checked>(GENUINE_KEPT);
  // Separate from the genuine ones, so that made-up tokens cannot evict those.
  const unknown = createRecentlyUsed<{ until: number }>(UNKNOWN_KEPT);
  const inFlight = new Map<string, Promise<Checked | undefined>>();
  let askAgainAt = 0;

  async function check(accessToken: string, tokenId: string, signal: AbortSignal): Promise<Checked | undefined> {
    const metadata = await server.metadata.get();
    if (metadata.jwks_uri && isVerifiableJwt(accessToken)) {
      const claims = await verifyJwt(accessToken, keys, metadata, now());
      // A verified signature stays valid until the token expires, so never ask again.
      const freshUntil = claims?.exp === undefined ? now() + INTROSPECTION_FRESH_MS : Number.POSITIVE_INFINITY;
      return claims && toChecked(claims, tokenId, freshUntil, Number.POSITIVE_INFINITY);
    }
    if (!metadata.introspection_endpoint) return undefined;
    const answer = await breaker.run(() => introspectToken(accessToken, server, metadata, signal), signal);
    const freshUntil = now() + INTROSPECTION_FRESH_MS;
    const checked = answer && toChecked(answer, tokenId, freshUntil, now() + INTROSPECTION_KEPT_MS);
    if (!checked) unknown.set(tokenId, { until: freshUntil });
    return checked;
  }

  function toChecked(claims: Claims, tokenId: string, freshUntil: number, keptUntil: number): Checked | undefined {
    // A JWT or an introspection may omit the expiry: then the token is valid for as long as the answer is cached.
    const expiresAt = claims.exp === undefined ? freshUntil : toMilliseconds(claims.exp);
    if (!(expiresAt > now())) return undefined;
    const issuedAt = typeof claims.iat === 'number' ? toMilliseconds(claims.iat) : now();
    return { token: { tokenId, issuedAt, expiresAt }, freshUntil, keptUntil };
  }

  async function checkAndRemember(accessToken: string, tokenId: string): Promise<Checked | undefined> {
    try {
      const checked = await deadlines.run((signal) => check(accessToken, tokenId, signal));
      if (checked) genuine.set(tokenId, checked);
      else genuine.delete(tokenId);
      return checked;
    } finally {
      inFlight.delete(tokenId);
    }
  }

  /** Requests that arrive together with the same token share one check. */
  function checkOnce(accessToken: string, tokenId: string): Promise<Checked | undefined> {
    const checking = inFlight.get(tokenId) ?? checkAndRemember(accessToken, tokenId);
    inFlight.set(tokenId, checking);
    return checking;
  }

  return async (accessToken) => {
    if (!isTokenText(accessToken)) return undefined;
    const tokenId = options.hashToken(accessToken);
    const held = genuine.get(tokenId);
    const known = held && now() < held.token.expiresAt && now() < held.keptUntil ? held : undefined;
    if (known && now() < Math.max(known.freshUntil, askAgainAt)) return known.token;
    if (now() < (unknown.get(tokenId)?.until ?? 0)) return undefined;
    const checking = checkOnce(accessToken, tokenId);
    try {
      const checked = await (known
        ? Promise.race([checking, sleep(PATIENCE_MS, 'late' as const, { ref: false })])
        : checking);
      if (checked !== 'late') return checked?.token;
    } catch (error) {
      // The token was not shown to be invalid.
      if (!known) throw toUnreachable(error);
    }
    askAgainAt = now() + RETRY_MS;
    return known?.token;
  };
}

/** Introspection (RFC 7662): what the server says about an opaque token; undefined if it is not active. */
async function introspectToken(
  token: string,
  server: AuthorizationServer,
  metadata: Metadata,
  signal: AbortSignal,
): Promise<IntrospectionResponse | undefined> {
  const response = await introspectionRequest(metadata, server.client, server.authenticate(metadata), token, {
    ...requestOptions(signal),
    additionalParameters: { token_type_hint: 'access_token' },
  });
  try {
    const answer = await processIntrospectionResponse(metadata, server.client, response);
    if (!answer.active) return undefined;
    return answer.iss === undefined || answer.iss === metadata.issuer ? answer : undefined;
  } catch (error) {
    // Some servers answer like this to text that cannot be one of their tokens. 401 and 403 concern us, not the token.
    if (error instanceof ResponseBodyError && error.status === 400) return undefined;
    throw error;
  }
}
