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
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';
import { type AuthorizationServer, fetchAnswer, type Metadata } from './authorization-server.ts';
import type { Deadlines } from './deadlines.ts';
import { createRemembered, type Remembered } from './remembered.ts';

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

export type PublishedKeys = Remembered<JWTVerifyGetKey>;

export function createPublishedKeys(server: AuthorizationServer, deadlines: Deadlines): PublishedKeys {
  return createRemembered({
    load: () =>
      deadlines.run(async (signal) => {
        const { jwks_uri } = await server.metadata.get();
        const response = await fetchAnswer(jwks_uri ?? '', {
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

export function isVerifiableJwt(token: string): boolean {
  if (token.split('.').length !== 3) return false;
  try {
    return ALGORITHMS.includes(decodeProtectedHeader(token).alg ?? '');
  } catch {
    return false;
  }
}

/** The claims of a token that the server signed, or undefined. The caller decides whether they are acceptable. */
export async function verifyJwt(
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
 * Refuses a new token that nobody could use: a JWT that the server's own keys do not verify, that has expired, or that
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
  if (iss !== undefined && iss !== metadata.issuer) throw new TokenServiceRefused('its token is of another issuer');
  if (exp !== undefined && !(exp * 1000 > now)) throw new TokenServiceRefused('its token has expired already');
  return exp === undefined ? undefined : toMilliseconds(exp);
}

const LAST_DATE = 8.64e15;

/** Converts a NumericDate, which may have a fraction or be outside the range of dates. */
export function toMilliseconds(seconds: number): number {
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
