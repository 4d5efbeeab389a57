import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import type { Clock } from '../domain/clock.ts';
import type { Keyring } from '../domain/keyring.ts';
import type { SigningKeyRecord, SigningKeyStore } from '../storage/port.ts';
import { TokenServiceRefused } from './port.ts';

const DAY_MS = 86_400_000;
const ROTATE_EVERY_MS = 30 * DAY_MS;
/** A new key is published this long before it signs, so that every replica and every verifier has met it. */
const PUBLISH_AHEAD_MS = 10 * 60_000;
/** Longer than any access token lives (30 days), so that no key leaves while a token needs it. */
const PUBLISH_AFTER_MS = 31 * DAY_MS;
/** A key that is newer than this was made by a clock that was ahead. */
const FUTURE_MS = 60 * 60_000;

export type KeyClock = Pick<Clock, 'now' | 'certain' | 'isTrusted'>;

type SigningKey = {
  record: SigningKeyRecord;
  privateKey: KeyObject;
  publicKey: KeyObject;
  jwk: JWK;
  headers: Map<string, string>;
};

/**
 * The Ed25519 keys that sign access tokens: kept in the database, sealed under INNKEEPER_SECRET,
 * shared by all replicas and rotated with overlap by whichever replica is first.
 */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #keyring: Keyring;
  readonly #clock: KeyClock;
  #keys: SigningKey[] = [];

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
      return key ? { ...key, record } : this.#open(record);
    });
  }

  /** A database without any key gets one at once; all others wait for a clock that may rotate. */
  async makeFirst(): Promise<void> {
    const now = this.#clock.now();
    if (this.#keys.length === 0) await this.#add(1, now, now);
  }

  /** Makes the next key when the newest has served its time, or was made by a clock that was ahead and would serve for years. */
  async rotateIfDue(): Promise<void> {
    const newest = this.#keys.at(-1)?.record;
    const now = this.#clock.now();
    if (!newest) await this.makeFirst();
    else if (newest.createdAt + ROTATE_EVERY_MS <= now || newest.createdAt > now + FUTURE_MS) await this.rotate();
  }

  async rotate(): Promise<void> {
    const now = this.#clock.now();
    await this.#add((this.#keys.at(-1)?.record.generation ?? 0) + 1, now, now + PUBLISH_AHEAD_MS);
  }

  /** JWKS: every key whose tokens may still be about. */
  published(): JWK[] {
    const now = this.#clock.certain();
    return this.#keys
      .filter(({ record }) => record.publishedUntil === null || record.publishedUntil > now)
      .map((key) => key.jwk);
  }

  publicKey(kid: string | undefined): KeyObject | undefined {
    return this.#keys.find((key) => key.record.kid === kid)?.publicKey;
  }

  signJwt(type: 'at+jwt' | 'JWT', claims: Record<string, unknown>): Promise<string> {
    return this.signer(type)(claims);
  }

  /**
   * Makes compact JWTs with the key of this moment. By hand on node:crypto: twice as fast as through Web Cryptography, and the
   * header is the same every time. A signature takes longer than all else in its request, so it is made by node's pool of threads.
   */
  signer(type: 'at+jwt' | 'JWT'): (claims: Record<string, unknown>) => Promise<string> {
    if (!this.#clock.isTrusted) throw new TokenServiceRefused('The clock is wrong: no token is signed.');
    const now = this.#clock.now();
    // A clock that was set back is before the first key; that one is published, and serves.
    const key = this.#keys.findLast(({ record }) => record.signsFrom <= now) ?? this.#keys[0];
    if (!key) throw new Error('There is no signing key: load() and makeFirst() come first.');
    let header = key.headers.get(type);
    if (!header) {
      header = base64url({ alg: 'EdDSA', typ: type, kid: key.record.kid });
      key.headers.set(type, header);
    }
    return async (claims) => {
      const signed = `${header}.${base64url(claims)}`;
      return `${signed}.${(await signInPool(signed, key.privateKey)).toString('base64url')}`;
    };
  }

  async #add(generation: number, createdAt: number, signsFrom: number): Promise<void> {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' }) as JWK;
    const kid = await calculateJwkThumbprint(jwk);
    await this.#store.add(
      {
        generation,
        kid,
        sealedPrivateKey: this.#keyring.seal(privateKey.export({ format: 'der', type: 'pkcs8' })),
        publicJwk: JSON.stringify({ ...jwk, kid, alg: 'EdDSA', use: 'sig' }),
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
    const der = this.#keyring.unseal(record.sealedPrivateKey);
    if (!der) throw new Error(`Signing key ${record.kid} was sealed under another INNKEEPER_SECRET.`);
    const privateKey = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
    return {
      record,
      privateKey,
      publicKey: createPublicKey(privateKey),
      jwk: JSON.parse(record.publicJwk),
      headers: new Map(),
    };
  }
}

function signInPool(text: string, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(null, Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
