import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import type { Clock } from '../domain/clock.ts';
import type { Keyring } from '../domain/keyring.ts';
import type { SigningKeyRecord, SigningKeyStore } from '../storage/port.ts';
import { TOKEN_ALGORITHMS, type TokenAlgorithm, TokenServiceRefused } from './port.ts';

/** RFC 7518 3.3 and 3.4, RFC 8037: how node:crypto signs as JWTs require. */
const ALGORITHMS: Record<TokenAlgorithm, { digest: string | null; dsaEncoding?: 'ieee-p1363' }> = {
  EdDSA: { digest: null },
  RS256: { digest: 'sha256' },
  ES256: { digest: 'sha256', dsaEncoding: 'ieee-p1363' },
};

const generate = promisify(generateKeyPair);

type KeyPair = { privateKey: KeyObject; publicKey: KeyObject };

/** On node's thread pool: an RSA key takes a tenth of a second or more. */
function generateKey(algorithm: TokenAlgorithm): Promise<KeyPair> {
  switch (algorithm) {
    case 'EdDSA':
      return generate('ed25519');
    case 'RS256':
      return generate('rsa', { modulusLength: 2048 });
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
  }
}

const DAY_MS = 86_400_000;
const ROTATE_EVERY_MS = 30 * DAY_MS;
/** A new key is published this long before it signs, so that every replica and verifier has seen it. */
const PUBLISH_AHEAD_MS = 10 * 60_000;
/** The private half of a replaced key is kept longer than any access token lives (30 days). */
const ERASE_AFTER_MS = 31 * DAY_MS;
/** A key dated further in the future was made by a clock that was ahead. */
const FUTURE_MS = 60 * 60_000;

/** `typ` in the header, so that one kind of token is never accepted as another. */
type TokenType = 'at+jwt' | 'JWT' | 'receipt+jwt';

export type KeyClock = Pick<Clock, 'now' | 'certain' | 'isTrusted'>;

type SigningKey = {
  record: SigningKeyRecord;
  algorithm: TokenAlgorithm;
  /** undefined: the key is retired and only verifies receipts. */
  privateKey: KeyObject | undefined;
  publicKey: KeyObject;
  jwk: JWK;
  headers: Map<string, string>;
};

/** A token may name a key that another replica has just made. Look for it at most this often. */
const LOOK_EVERY_MS = 1_000;

/**
 * The keys that sign access tokens: stored in the database, sealed under INNKEEPER_SECRET, shared by all replicas, and
 * rotated with overlap by the first replica to notice. Each algorithm has its own keys; the first is created on demand.
 */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #keyring: Keyring;
  readonly #clock: KeyClock;
  #keys: SigningKey[] = [];
  readonly #making = new Map<TokenAlgorithm, Promise<void>>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** The algorithms that some application uses; EdDSA also signs for Innkeeper itself. */
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

  /** Creates a key if the database has none for the algorithm. All later keys wait for `rotateIfDue`. */
  async makeFirst(algorithm: TokenAlgorithm = 'EdDSA'): Promise<void> {
    // If another replica takes the number for another algorithm, try the next one.
    while (!this.#newest(algorithm)) {
      const now = this.#clock.now();
      await this.#add(algorithm, now, now);
    }
  }

  /**
   * Creates the next key when the newest is due for rotation, or when a clock that was ahead dated it far in the
   * future.
   */
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

  /** Concurrent requests for the same first key share one. */
  #makeOnce(algorithm: TokenAlgorithm): Promise<void> {
    let making = this.#making.get(algorithm);
    if (!making) {
      making = this.makeFirst(algorithm).finally(() => this.#making.delete(algorithm));
      this.#making.set(algorithm, making);
    }
    return making;
  }

  /** JWKS with every key that ever signed: receipts are verified years after their key was retired. */
  published(): JWK[] {
    return this.#keys.map((key) => key.jwk);
  }

  /** The public key, if it may have signed a live access token with this algorithm. */
  async publicKey(kid: string | undefined, algorithm: string | undefined): Promise<KeyObject | undefined> {
    const find = () =>
      this.#keys.find((key) => key.record.kid === kid && key.algorithm === algorithm && key.privateKey)?.publicKey;
    const known = find();
    if (known) return known;
    const now = performance.now();
    if (now > this.#lookedAt + LOOK_EVERY_MS) {
      this.#lookedAt = now;
      this.#looking = this.load().finally(() => {
        this.#looking = undefined;
      });
    }
    await this.#looking;
    return find();
  }

  async signJwt(type: TokenType, claims: Record<string, unknown>): Promise<string> {
    return (await this.signer(type, 'EdDSA'))(claims);
  }

  /**
   * Makes compact JWTs with the current key. Written on node:crypto: it is twice as fast as Web Cryptography, and the
   * header is always the same. Signing is the most expensive part of a request, so it runs on node's thread pool.
   */
  async signer(
    type: TokenType,
    algorithm: TokenAlgorithm,
  ): Promise<(claims: Record<string, unknown>) => Promise<string>> {
    if (!this.#clock.isTrusted) throw new TokenServiceRefused('The clock is wrong: no token is signed.');
    if (!this.#newest(algorithm)) await this.#makeOnce(algorithm);
    const now = this.#clock.now();
    const keys = this.#keys.filter((key) => key.algorithm === algorithm && key.privateKey);
    // If the clock was set back to before the first key, use that one: it is published.
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
    const kid = thumbprint(jwk);
    await this.#store.add(
      {
        generation,
        kid,
        algorithm,
        sealedPrivateKey: this.#keyring.seal(privateKey.export({ format: 'der', type: 'pkcs8' })),
        publicJwk: JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }),
        createdAt,
        signsFrom,
        eraseAt: null,
      },
      signsFrom + ERASE_AFTER_MS,
    );
    // Either this replica added the key or another did just before: the database has it now.
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

/**
 * RFC 7638: the members in order; those of other types of key are undefined and left out. Not by jose: it would load Web
 * Cryptography, which takes 4 ms of the first start.
 */
function thumbprint({ crv, e, kty, n, x, y }: JWK): string {
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url');
}

function signInPool(text: string, { privateKey, algorithm }: SigningKey): Promise<Buffer> {
  if (!privateKey) throw new Error('A retired key cannot sign.');
  const { digest, dsaEncoding } = ALGORITHMS[algorithm];
  const key = dsaEncoding ? { key: privateKey, dsaEncoding } : privateKey;
  return new Promise((resolve, reject) => {
    sign(digest, Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
