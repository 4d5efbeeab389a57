import { setTimeout as sleep } from 'node:timers/promises';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import {
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { type IdentifiedToken, TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';
import {
  type AuthorizationServer,
  fetchResponse,
  type Metadata,
  requestOptions,
  toUnreachable,
} from './authorization-server.ts';
import { type Cached, createCached, createLruMap } from './cached.ts';
import { createBreaker, type Deadlines } from './guarded-calls.ts';

const GENUINE_KEPT = 10_000;
const UNKNOWN_KEPT = 1_000;
/** Only the server can read an opaque token and may revoke it, so it is asked again after this time … */
const INTROSPECTION_FRESH_MS = 30_000;
/**
 * … but while it cannot be reached, its last response counts for this long (tokens we revoke ourselves fail immediately
 * anyway) …
 */
const INTROSPECTION_KEPT_MS = 300_000;
/**
 * … and a request with an earlier response waits no longer than this for a newer one, so that an outage does not slow us
 * down.
 */
const REFRESH_WAIT_MS = 250;
/** After a failed try, requests that have an earlier response do not ask again for this long. */
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
  const genuine = createLruMap<Checked>(GENUINE_KEPT);
  // Separate from the genuine ones, so that made-up tokens cannot evict those.
  const unknown = createLruMap<{ until: number }>(UNKNOWN_KEPT);
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
    const claims = await breaker.run(() => introspectToken(accessToken, server, metadata, signal), signal);
    const freshUntil = now() + INTROSPECTION_FRESH_MS;
    const checked = claims && toChecked(claims, tokenId, freshUntil, now() + INTROSPECTION_KEPT_MS);
    if (!checked) unknown.set(tokenId, { until: freshUntil });
    return checked;
  }

  function toChecked(claims: Claims, tokenId: string, freshUntil: number, keptUntil: number): Checked | undefined {
    // A JWT or an introspection may omit the expiry: then the token is valid for as long as the response is cached.
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
        ? Promise.race([checking, sleep(REFRESH_WAIT_MS, 'late' as const, { ref: false })])
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

const MAX_TOKEN_BYTES = 8 * 1024;

/** Printable ASCII without spaces (RFC 6749): anything else cannot be sent in a header. */
export function isTokenText(text: string): boolean {
  return text.length <= MAX_TOKEN_BYTES && /^[\x21-\x7e]+$/.test(text);
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
    const claims = await processIntrospectionResponse(metadata, server.client, response);
    if (!claims.active) return undefined;
    return claims.iss === undefined || claims.iss === metadata.issuer ? claims : undefined;
  } catch (error) {
    // Some servers respond like this to text that cannot be one of their tokens. 401 and 403 concern us, not the token.
    if (error instanceof ResponseBodyError && error.status === 400) return undefined;
    throw error;
  }
}

/** Asymmetric signatures only: a published key must not be usable to forge one. */
const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];
const TEN_MINUTES = 600_000;
const ONE_DAY = 86_400_000;
/** An unknown key id reloads the keys, but made-up ones must not do so at will. */
const NEW_KEY_WAIT_MS = 5_000;
/** For `nbf` between two clocks; the caller checks the expiry exactly. */
const CLOCK_TOLERANCE_SECONDS = 30;

export type PublishedKeys = Cached<JWTVerifyGetKey>;

export function createPublishedKeys(server: AuthorizationServer, deadlines: Deadlines): PublishedKeys {
  return createCached({
    load: () =>
      deadlines.run(async (signal) => {
        const { jwks_uri } = await server.metadata.get();
        const response = await fetchResponse(jwks_uri ?? '', {
          method: 'GET',
          headers: { accept: 'application/json' },
          signal,
        });
        if (response.status !== 200) throw new TokenServiceUnreachable(`its keys: HTTP ${response.status}`);
        return createLocalJWKSet((await response.json()) as JSONWebKeySet);
      }),
    freshMs: TEN_MINUTES,
    keptMs: ONE_DAY,
  });
}

function isVerifiableJwt(token: string): boolean {
  if (token.split('.').length !== 3) return false;
  try {
    return ALGORITHMS.includes(decodeProtectedHeader(token).alg ?? '');
  } catch {
    return false;
  }
}

/** The claims of a token that the server signed, or undefined. The caller decides whether they are acceptable. */
async function verifyJwt(
  token: string,
  keys: PublishedKeys,
  metadata: Metadata,
  now: number,
): Promise<JWTPayload | undefined> {
  const verify = async (key: JWTVerifyGetKey) => {
    const expected = {
      issuer: metadata.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
    };
    return (await jwtVerify(token, key, expected)).payload;
  };
  try {
    try {
      return await verify(await keys.get());
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return await verify(await keys.getNewer(NEW_KEY_WAIT_MS));
    }
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(error, verify);
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** A token that names no key is checked with each that could have signed it. */
async function verifyWithAny(
  candidates: errors.JWKSMultipleMatchingKeys,
  verify: (key: JWTVerifyGetKey) => Promise<JWTPayload>,
): Promise<JWTPayload | undefined> {
  for await (const key of candidates) {
    try {
      return await verify(async () => key);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return undefined;
}

/**
 * Refuses a new token that no one could use: a JWT that the server's own keys do not verify, that has expired, or that
 * names another issuer. Returns its expiry, if it has one. Only the server can judge a text that is not a JWT, or a JWT
 * signed with a shared secret.
 */
export async function checkNewToken(
  token: string,
  keys: PublishedKeys,
  metadata: Metadata,
  now: number,
): Promise<number | undefined> {
  const said = readUnproven(token);
  if (!said) return undefined;
  const isSigned = metadata.jwks_uri !== undefined && isVerifiableJwt(token);
  const claims = isSigned ? await verifyJwt(token, keys, metadata, now) : said.claims;
  if (!claims || said.algorithm === 'none')
    throw new TokenServiceRefused('its token is a JWT that its keys do not verify');
  const { iss, exp } = claims;
  if (iss !== undefined && iss !== metadata.issuer) throw new TokenServiceRefused('its token names another issuer');
  if (exp !== undefined && !(exp * 1000 > now)) throw new TokenServiceRefused('its token has already expired');
  return exp === undefined ? undefined : toMilliseconds(exp);
}

const LAST_DATE = 8.64e15;

/** Converts a NumericDate, which may have a fraction or be outside the range of dates. */
function toMilliseconds(seconds: number): number {
  return Math.floor(Math.min(Math.max(0, seconds * 1000), LAST_DATE));
}

function readUnproven(token: string): { algorithm: string | undefined; claims: JWTPayload } | undefined {
  if (token.split('.').length !== 3) return undefined;
  try {
    return { algorithm: decodeProtectedHeader(token).alg, claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}
