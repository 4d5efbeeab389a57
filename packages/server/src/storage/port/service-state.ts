/** Something that operators must know about: /readyz, the metrics, the log and doctor report it. */
export type Problem = {
  /** Stable, for alerts. */
  kind:
    | 'disk'
    | 'corruption'
    | 'file'
    | 'clock'
    | 'log-size'
    | 'hard-link'
    | 'lock'
    | 'read-only'
    | 'schema'
    | 'durability'
    | 'addresses'
    | 'permissions'
    | 'worker'
    | 'secret'
    | 'mail';
  /** What is wrong, then what to do. */
  message: string;
  /** none: the service works. read-only: writes fail. down: no response can be trusted, and /readyz fails. */
  effect: 'none' | 'read-only' | 'down';
};

const EFFECTS: readonly Problem['effect'][] = ['down', 'read-only', 'none'];

export function worstFirst(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));
}

export interface FactStore {
  get(name: string): Promise<string | undefined>;
  /** The first writer wins; everyone gets the winner's value. */
  settle(name: string, value: string): Promise<string>;
  /** Replaces a value if it is still `expected`; false if another writer was faster. */
  replace(name: string, expected: string, value: string): Promise<boolean>;
}

/** What the database knows about the time, for detecting a wrong clock. */
export interface ClockStore {
  /** The time of the database server. Undefined for a SQLite file, which has no clock of its own. */
  read(): Promise<number | undefined>;
  /**
   * When the newest record of the audit log, the statistics, the signing keys or the changes was written; undefined
   * without any.
   */
  newestRecord(): Promise<number | undefined>;
}

export type Change = {
  version: number;
  subject: 'application' | 'catalog' | 'signing-keys' | 'webhooks' | 'secret';
  appId: number | null;
};

export interface ChangeStore {
  /** Changes after `version` in commit order; `complete` is false if some are no longer stored. */
  since(version: number): Promise<{ version: number; complete: boolean; changes: Change[] }>;
}

/** Usage of an allowance, as the time it takes to refill; a full allowance refills in `windowMs`. */
export type Spending = { subjectHash: string; ms: number; windowMs: number };

/** How much of each allowance all replicas together have used. It may be lost in a crash. */
export interface RateLimitStore {
  /**
   * Adds usage; returns how many milliseconds each takes to refill, at most its window, in the order given. No subject
   * may occur twice. Stored usage more than CLOCK_SLACK_MS beyond the window was written by a clock that was ahead, and
   * is dropped.
   */
  spend(spendings: readonly Spending[], now: number): Promise<number[]>;
}

/** Far more than the difference between replicas, which all follow one clock. */
export const CLOCK_SLACK_MS = 1_000;

/** Every column with texts sealed under INNKEEPER_SECRET, and the use whose key opens them (domain/keyring.ts). */
export const SEALED_PLACES = {
  'signing-key': { table: 'signing_keys', column: 'sealed_private_key', use: 'seal' },
  totp: { table: 'accounts', column: 'sealed_totp', use: 'totp' },
  'pending-totp': { table: 'accounts', column: 'pending_totp', use: 'totp' },
  webhook: { table: 'webhooks', column: 'sealed_secret', use: 'webhook' },
  'webhook-previous': { table: 'webhooks', column: 'sealed_previous', use: 'webhook' },
} as const;

export type SealedPlace = keyof typeof SEALED_PLACES;
export type SealedText = { place: SealedPlace; sealed: string };

export interface SealedStore {
  list(): Promise<SealedText[]>;
  /** Replaces texts that are still `from`; returns how many were. No two sealed texts are equal. */
  replace(changes: readonly { place: SealedPlace; from: string; to: string }[]): Promise<number>;
  /**
   * Replaces the fact with the check of the secret, and notifies every replica; 'changed' if it is no longer
   * `expected`.
   */
  switchSecret(fact: string, expected: string, check: string): Promise<'switched' | 'changed'>;
}

export type SigningKeyRecord = {
  /** 1, 2, 3 …: only one replica can add each. */
  generation: number;
  kid: string;
  /** The signing algorithm, by its JWT name. Each has its own sequence of keys. */
  algorithm: string;
  /**
   * The private key, sealed under INNKEEPER_SECRET; '' once the key is retired: then it is erased, and the key only
   * verifies.
   */
  sealedPrivateKey: string;
  publicJwk: string;
  createdAt: number;
  /** Published before it signs, so that every verifier has seen it. */
  signsFrom: number;
  /** When the private key is erased; null until a newer key replaces this one. The public key stays, for receipts. */
  eraseAt: number | null;
};

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>;
  /** Adds the next generation; the private keys of earlier ones of its algorithm are erased at `erasePreviousAt`. */
  add(key: SigningKeyRecord, erasePreviousAt: number): Promise<'added' | 'taken'>;
}
