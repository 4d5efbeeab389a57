import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import type { Clock } from '../domain/clock.ts';
import type { Keyring } from '../domain/keyring.ts';
import type { SigningKeyRecord, SigningKeyStore } from '../storage/port.ts';
import { ALGORITHMS, generateKey } from './algorithms.ts';
import { TOKEN_ALGORITHMS, type TokenAlgorithm, TokenServiceRefused } from './port.ts';

const DAY_MS = 86_400_000;
const ROTATE_EVERY_MS = 30 * DAY_MS;
/** A new key is published this long before it signs, so that every replica and every verifier has met it. */
const PUBLISH_AHEAD_MS = 10 * 60_000;
/** Longer than any access token lives (30 days), so that no key leaves while a token needs it. */
const PUBLISH_AFTER_MS = 31 * DAY_MS;
/** A key that is newer than this was made by a clock that was ahead. */
const FUTURE_MS = 60 * 60_000;

/** `typ` of the header: one kind of token is never taken for another. */
export type TokenType = 'at+jwt' | 'JWT' | 'receipt+jwt';

export type KeyClock = Pick<Clock, 'now' | 'certain' | 'isTrusted'>;

type SigningKey = {
  record: SigningKeyRecord;
  algorithm: TokenAlgorithm;
  /** undefined: it is retired, and verifies receipts alone. */
  privateKey: KeyObject | undefined;
  publicKey: KeyObject;
  jwk: JWK;
  headers: Map<string, string>;
};

/** A token may name a key that another replica made a moment ago: looked for at most so often. */
const LOOK_EVERY_MS = 1_000;

/**
 * The keys that sign access tokens: kept in the database, sealed under INNKEEPER_SECRET, shared by all replicas and rotated
 * with overlap by whichever replica is first. Each algorithm has its own; its first is made when it is first needed.
 */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #keyring: Keyring;
  readonly #clock: KeyClock;
  #keys: SigningKey[] = [];
  readonly #making = new Map<TokenAlgorithm, Promise<void>>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Those that some application has its tokens signed with; EdDSA also signs for ourselves. */
  algorithmsInUse: () => ReadonlySet<TokenAlgorithm> = () => new Set();

  constructor(store: SigningKeyStore, keyring: Keyring, clock: KeyClock) {
    this.#store = store;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    const known = new Map(this.#keys.map((key) => [key.record.kid, key]));
    const records = await this.#store.list();
    this.#keys = records.map((record) => {
      const key = known.get(record.kid);
      const isSame = key && (key.privateKey === undefined) === (record.sealedPrivateKey === '');
      return isSame ? { ...key, record } : this.#open(record);
    });
  }

  /** A database without a key of the algorithm gets one at once; all others wait for a clock that may rotate. */
  async makeFirst(algorithm: TokenAlgorithm = 'EdDSA'): Promise<void> {
    // Another replica may take the number for a key of another algorithm: then the next one is tried.
    while (!this.#newest(algorithm)) {
      const now = this.#clock.now();
      await this.#add(algorithm, now, now);
    }
  }

  /** Makes the next key when the newest has served its time, or was made by a clock that was ahead and would serve for years. */
  async rotateIfDue(): Promise<void> {
    const inUse = this.algorithmsInUse();
    for (const algorithm of TOKEN_ALGORITHMS) {
      if (algorithm !== 'EdDSA' && !inUse.has(algorithm)) continue;
      const newest = this.#newest(algorithm)?.record;
      const now = this.#clock.now();
      if (!newest) await this.#makeOnce(algorithm);
      else if (newest.createdAt + ROTATE_EVERY_MS <= now || newest.createdAt > now + FUTURE_MS) {
        await this.rotate(algorithm);
      }
    }
  }

  async rotate(algorithm: TokenAlgorithm = 'EdDSA'): Promise<void> {
    const now = this.#clock.now();
    await this.#add(algorithm, now, now + PUBLISH_AHEAD_MS);
  }

  #newest(algorithm: TokenAlgorithm): SigningKey | undefined {
    return this.#keys.findLast((key) => key.algorithm === algorithm);
  }

  /** Requests that need the same first key wait for the same one. */
  #makeOnce(algorithm: TokenAlgorithm): Promise<void> {
    let making = this.#making.get(algorithm);
    if (!making) {
      making = this.makeFirst(algorithm).finally(() => this.#making.delete(algorithm));
      this.#making.set(algorithm, making);
    }
    return making;
  }

  /** JWKS: every key that ever signed. Receipts are verified years after their key was retired. */
  published(): JWK[] {
    return this.#keys.map((key) => key.jwk);
  }

  /** Of a key that may have signed a live access token with this algorithm, and signs with no other. */
  async publicKey(kid: string | undefined, algorithm: string | undefined): Promise<KeyObject | undefined> {
    const find = () =>
      this.#keys.find((key) => key.record.kid === kid && key.algorithm === algorithm && key.privateKey)?.publicKey;
    const now = performance.now();
    if (!find() && now > this.#lookedAt + LOOK_EVERY_MS) {
      this.#lookedAt = now;
      await this.load();
    }
    return find();
  }

  async signJwt(type: TokenType, claims: Record<string, unknown>): Promise<string> {
    return (await this.signer(type, 'EdDSA'))(claims);
  }

  /**
   * Makes compact JWTs with the key of this moment. By hand on node:crypto: twice as fast as through Web Cryptography, and the
   * header is the same every time. A signature takes longer than all else in its request, so it is made by node's pool of threads.
   */
  async signer(
    type: TokenType,
    algorithm: TokenAlgorithm,
  ): Promise<(claims: Record<string, unknown>) => Promise<string>> {
    if (!this.#clock.isTrusted) throw new TokenServiceRefused('The clock is wrong: no token is signed.');
    if (!this.#newest(algorithm)) await this.#makeOnce(algorithm);
    const now = this.#clock.now();
    const keys = this.#keys.filter((key) => key.algorithm === algorithm && key.privateKey);
    // A clock that was set back is before the first key; that one is published, and serves.
    const key = keys.findLast(({ record }) => record.signsFrom <= now) ?? keys[0];
    if (!key) throw new Error(`There is no signing key for ${algorithm}.`);
    let header = key.headers.get(type);
    if (!header) {
      header = base64url({ alg: algorithm, typ: type, kid: key.record.kid });
      key.headers.set(type, header);
    }
    return async (claims) => {
      const signed = `${header}.${base64url(claims)}`;
      return `${signed}.${(await signInPool(signed, key)).toString('base64url')}`;
    };
  }

  async #add(algorithm: TokenAlgorithm, createdAt: number, signsFrom: number): Promise<void> {
    const generation = (this.#keys.at(-1)?.record.generation ?? 0) + 1;
    const { privateKey, publicKey } = await generateKey(algorithm);
    const jwk = publicKey.export({ format: 'jwk' }) as JWK;
    const kid = await calculateJwkThumbprint(jwk);
    await this.#store.add(
      {
        generation,
        kid,
        algorithm,
        sealedPrivateKey: this.#keyring.seal(privateKey.export({ format: 'der', type: 'pkcs8' })),
        publicJwk: JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }),
        createdAt,
        signsFrom,
        publishedUntil: null,
      },
      signsFrom + PUBLISH_AFTER_MS,
    );
    // Added by us or, a moment earlier, by another replica: either way the database has it now.
    await this.load();
  }

  #open(record: SigningKeyRecord): SigningKey {
    const jwk = JSON.parse(record.publicJwk) as JWK;
    return {
      record,
      algorithm: record.algorithm as TokenAlgorithm,
      privateKey: record.sealedPrivateKey === '' ? undefined : this.#unseal(record),
      publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
      jwk,
      headers: new Map(),
    };
  }

  #unseal({ kid, sealedPrivateKey }: SigningKeyRecord): KeyObject {
    const der = this.#keyring.unseal(sealedPrivateKey);
    if (!der) throw new Error(`Signing key ${kid} was sealed under another INNKEEPER_SECRET.`);
    return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  }
}

function signInPool(text: string, { privateKey, algorithm }: SigningKey): Promise<Buffer> {
  if (!privateKey) throw new Error('A retired key signs nothing.');
  const { digest, dsaEncoding } = ALGORITHMS[algorithm];
  const key = dsaEncoding ? { key: privateKey, dsaEncoding } : privateKey;
  return new Promise((resolve, reject) => {
    sign(digest, Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
