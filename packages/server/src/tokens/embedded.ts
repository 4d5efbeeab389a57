import type { JWTHeaderParameters } from 'jose';
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { homeOfUuid, isUuid, uuidAtHome } from '../uuid.ts';
import type { SigningKeys } from './keys.ts';
import { type IdentifiedToken, type Reserve, TOKEN_ALGORITHMS, type TokenService } from './port.ts';

/** RFC 9068 access tokens, signed here. They are valid until they expire, are revoked, or their user is deleted. */
export function createEmbeddedTokenService(options: {
  keys: SigningKeys;
  issuer(): string;
  now(): number;
}): TokenService {
  const { keys, issuer, now } = options;
  const knownTokens = new KnownTokens();
  const findKey = async (header: JWTHeaderParameters) => {
    const key = await keys.publicKey(header.kid, header.alg);
    if (!key) throw new JWKSNoMatchingKey();
    return key;
  };

  const reserve: Reserve = async ({ clientId, lifetimeSeconds, algorithm = 'EdDSA', home }) => {
    const sign = await keys.signer('at+jwt', algorithm);
    const tokenId = uuidAtHome(home);
    const iat = Math.floor(now() / 1000);
    const exp = iat + lifetimeSeconds;
    const token = { tokenId, issuedAt: iat * 1000, expiresAt: exp * 1000 };
    return {
      ...token,
      async make({ userId }, more = {}) {
        const claims = {
          iss: issuer(),
          sub: userId,
          aud: clientId,
          client_id: clientId,
          iat,
          exp,
          jti: tokenId,
          ...more,
        };
        const accessToken = await sign(claims);
        knownTokens.add(accessToken, token);
        return accessToken;
      },
    };
  };

  return {
    kind: 'embedded',
    reserve,

    async issue({ user, ...request }) {
      const { make, ...token } = await reserve({ ...request, home: homeOfUuid(user.userId) });
      return { accessToken: await make(user), ...token };
    },

    tokenIdOf: (accessToken) => knownTokens.get(accessToken)?.tokenId ?? readTokenId(accessToken),

    async identify(accessToken) {
      const known = knownTokens.get(accessToken);
      if (known) {
        if (known.expiresAt > now()) return known;
        knownTokens.delete(accessToken);
        return undefined;
      }
      const token = await verify(accessToken);
      if (token) knownTokens.add(accessToken, token);
      return token;
    },

    async ping() {},
    async close() {},
  };

  /**
   * Verifies with keys that only processes on this database have. `iss` is not compared: the processes for users and
   * for options may have different addresses, and an installation may move.
   */
  async function verify(accessToken: string): Promise<IdentifiedToken | undefined> {
    if (!isAsIssued(accessToken)) return undefined;
    try {
      const { payload } = await jwtVerify(accessToken, findKey, {
        algorithms: [...TOKEN_ALGORITHMS],
        typ: 'at+jwt',
        requiredClaims: ['iss', 'sub', 'aud', 'client_id', 'iat', 'exp', 'jti'],
        currentDate: new Date(now()),
      });
      return {
        tokenId: payload.jti as string,
        issuedAt: (payload.iat as number) * 1000,
        expiresAt: (payload.exp as number) * 1000,
      };
    } catch (error) {
      if (error instanceof JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** Decoders are lenient: with blanks, padding or unused bits, the same token would have several texts. */
function isAsIssued(accessToken: string): boolean {
  return accessToken.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function readTokenId(accessToken: string): string | undefined {
  try {
    const { jti } = decodeJwt(accessToken);
    return typeof jti === 'string' && isUuid(jti) ? jti : undefined;
  } catch {
    return undefined;
  }
}

/** Entries per half; both together take about 6 MB when full. */
const HALF = 5_000;

/**
 * Tokens that were signed or verified here, by their text. The older half is dropped as a whole: a Map whose oldest
 * entry is deleted for every new one has to skip more and more gaps to find it.
 */
class KnownTokens {
  #newer = new Map<string, IdentifiedToken>();
  #older = new Map<string, IdentifiedToken>();

  get(accessToken: string): IdentifiedToken | undefined {
    return this.#newer.get(accessToken) ?? this.#older.get(accessToken);
  }

  add(accessToken: string, token: IdentifiedToken): void {
    if (this.#newer.size >= HALF) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(accessToken, token);
  }

  delete(accessToken: string): void {
    this.#newer.delete(accessToken);
    this.#older.delete(accessToken);
  }
}
