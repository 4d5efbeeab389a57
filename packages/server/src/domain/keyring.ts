import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { StorageUnavailable } from '../storage/port.ts';

/**
 * Everything that INNKEEPER_SECRET protects. Each use has its own derived key, so that one use reveals nothing about
 * another.
 */
export type Keyring = {
  hashSecret(clientSecret: string): string;
  hashToken(token: string): string;
  hashIdempotency(text: string): string;
  hashManageToken(token: string): string;
  hashLink(token: string): string;
  hashSession(token: string): string;
  hashRecoveryCode(code: string): string;
  hashAttempt(subject: string): string;
  hashLimited(subject: string): string;
  hashCursor(position: string): string;
  /** Authenticates preference links. It uses no signing key, so links outlive those. */
  hashPreferenceLink(content: string): string;
  /** The hashes that a valid preference link may have: with the current or the previous secret. */
  preferenceLinkHashes(content: string): string[];
  seal(plain: Uint8Array): string;
  /** undefined if it was sealed under another secret, or altered. */
  unseal(sealed: string): Uint8Array | undefined;
  sealTotp(secret: Uint8Array): string;
  unsealTotp(sealed: string): Uint8Array | undefined;
  sealWebhookSecret(secret: string): string;
  unsealWebhookSecret(sealed: string): string | undefined;
  readonly master: MasterSecret;
};

/** Each use has its own sealing key. */
type SealUse = 'seal' | 'totp' | 'webhook';

/**
 * What a database stores about its secret, sealed under it (check-secret.ts). If the secret was never rotated, it only
 * proves that the secret is the right one.
 */
export type SecretCheck = {
  /** Hash keys outlive the secret they were derived from: see decision 59. */
  hashKeys?: Record<string, string>;
  /** Identifies the previous secret. */
  previousId?: string;
  rotatedAt?: number;
  /** Nothing is sealed under the previous secret any more. */
  isResealed?: boolean;
};

/** INNKEEPER_SECRET and, while it is being rotated, INNKEEPER_SECRET_PREVIOUS. */
export type MasterSecret = {
  /** The id of the previous secret, if there is one. */
  readonly previousId: string | undefined;
  /** Replaces the secrets; new data is sealed as before until the next `adopt`. */
  use(secret: string, previous: string): void;
  /** Called when a text opens with neither secret; true if the secrets have been replaced since. */
  onMiss: () => boolean;
  /**
   * The database uses a secret that this process does not have: it must not seal anything under one that is being
   * retired.
   */
  isOutdated: boolean;
  /** The check of a new database. */
  firstCheck(): string;
  /** The check of a database that changes over to the current secret. */
  nextCheck(rotatedAt: number): string;
  sealCheck(check: SecretCheck): string;
  /**
   * From now on, new data is sealed under the secret of this check. undefined: it opens with neither secret, and
   * nothing changed.
   */
  adopt(check: string): (SecretCheck & { under: 'current' | 'previous' }) | undefined;
  /** Seals a text under the current secret; 'current' if it already is, undefined if it opens with neither. */
  reseal(use: SealUse, sealed: string): { sealed: string } | 'current' | undefined;
};

/** Kept when the secret changes: they hash random values, so a leaked key does not help to find those. */
const KEPT_USES = [
  'client-secret',
  'token',
  'idempotency',
  'manage-token',
  'sign-in-link',
  'session',
  'recovery-code',
  'event-cursor',
] as const;
/** Changed with the secret: a forged link would authorize anyone, and subjects (addresses) can be guessed. */
const CHANGED_USES = ['sign-in-attempt', 'rate-limit', 'preference-link'] as const;
const UNROTATED = 'innkeeper';

type Hash = (text: string) => string;
type KeptUse = (typeof KEPT_USES)[number];
type ChangedUse = (typeof CHANGED_USES)[number];

type Keys = {
  id: string;
  seal: Record<SealUse, Buffer>;
  hashKeys: Record<string, string>;
  changed: Record<ChangedUse, Hash>;
};

export function createKeyring(secret: string, previous = ''): Keyring {
  let [current, before] = [keysOf(secret), previous === '' ? undefined : keysOf(previous)];
  let active = current;
  let kept = keptHashes(active.hashKeys);
  let keptKeys = active.hashKeys;

  const openWith = (use: SealUse, sealed: string): { plain: Uint8Array; keys: Keys } | undefined => {
    for (const keys of before ? [current, before] : [current]) {
      const plain = unseal(keys.seal[use], sealed);
      if (plain) return { plain, keys };
    }
    return undefined;
  };
  const open = (use: SealUse, sealed: string) =>
    openWith(use, sealed) ?? (master.onMiss() ? openWith(use, sealed) : undefined);
  const sealFor = (use: SealUse, plain: Uint8Array): string => {
    if (master.isOutdated)
      throw new StorageUnavailable('INNKEEPER_SECRET was rotated; this process has only the previous one.');
    return seal(active.seal[use], plain);
  };
  const hash =
    (use: KeptUse): Hash =>
    (text) =>
      kept[use](text);
  const changed =
    (use: ChangedUse): Hash =>
    (text) =>
      active.changed[use](text);

  const master: MasterSecret = {
    get previousId() {
      return before?.id;
    },
    use(secret, previous) {
      [current, before] = [keysOf(secret), previous === '' ? undefined : keysOf(previous)];
    },
    onMiss: () => false,
    isOutdated: false,
    firstCheck: () => master.sealCheck(before ? { previousId: before.id, isResealed: true } : {}),
    nextCheck: (rotatedAt) =>
      master.sealCheck({ hashKeys: keptKeys, ...(before && { previousId: before.id }), rotatedAt }),
    sealCheck: (check) =>
      seal(current.seal.seal, Buffer.from(Object.keys(check).length === 0 ? UNROTATED : JSON.stringify(check))),
    adopt(sealed) {
      const opened = open('seal', sealed);
      if (!opened) return undefined;
      const text = Buffer.from(opened.plain).toString();
      const check = text === UNROTATED ? {} : (JSON.parse(text) as SecretCheck);
      active = opened.keys;
      // A use that is newer than the kept keys is not among them.
      keptKeys = { ...active.hashKeys, ...check.hashKeys };
      kept = keptHashes(keptKeys);
      return { ...check, under: opened.keys === current ? 'current' : 'previous' };
    },
    reseal(use, sealed) {
      const opened = open(use, sealed);
      if (!opened) return undefined;
      return opened.keys === current ? 'current' : { sealed: seal(current.seal[use], opened.plain) };
    },
  };

  return {
    hashSecret: hash('client-secret'),
    hashToken: hash('token'),
    hashIdempotency: hash('idempotency'),
    hashManageToken: hash('manage-token'),
    hashLink: hash('sign-in-link'),
    hashSession: hash('session'),
    hashRecoveryCode: hash('recovery-code'),
    hashAttempt: changed('sign-in-attempt'),
    hashLimited: changed('rate-limit'),
    hashCursor: hash('event-cursor'),
    hashPreferenceLink: changed('preference-link'),
    preferenceLinkHashes: (content) =>
      (before ? [current, before] : [current]).map((keys) => keys.changed['preference-link'](content)),
    seal: (plain) => sealFor('seal', plain),
    unseal: (sealed) => open('seal', sealed)?.plain,
    sealTotp: (secret) => sealFor('totp', secret),
    unsealTotp: (sealed) => open('totp', sealed)?.plain,
    sealWebhookSecret: (secret) => sealFor('webhook', Buffer.from(secret)),
    unsealWebhookSecret(sealed) {
      const secret = open('webhook', sealed)?.plain;
      return secret && Buffer.from(secret).toString();
    },
    master,
  };
}

function keysOf(secret: string): Keys {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'innkeeper', use, 32));
  const each = <Use extends string, T>(uses: readonly Use[], make: (use: Use) => T) =>
    Object.fromEntries(uses.map((use) => [use, make(use)])) as Record<Use, T>;
  return {
    id: derive('id').toString('hex'),
    seal: each(['seal', 'totp', 'webhook'], derive),
    hashKeys: each(KEPT_USES, (use) => derive(use).toString('hex')),
    changed: each(CHANGED_USES, (use) => keyedHash(derive(use))),
  };
}

function keptHashes(keys: Record<string, string>): Record<KeptUse, Hash> {
  return Object.fromEntries(
    KEPT_USES.map((use) => [use, keyedHash(Buffer.from(keys[use] as string, 'hex'))]),
  ) as Record<KeptUse, Hash>;
}

function seal(key: Buffer, plain: Uint8Array): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

function unseal(key: Buffer, text: string): Uint8Array | undefined {
  const sealed = Buffer.from(text, 'base64url');
  if (sealed.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** Longer texts get their own buffer. */
const SHORT_BYTES = 1024;

/**
 * HMAC-SHA-256 (RFC 2104) as hex, for a key of at most one block. Written out as two one-shot hashes: `createHmac`
 * creates a stream, which takes three times as long, and every secret and token that is sent or received is hashed.
 */
export function keyedHash(key: Uint8Array): (text: string) => string {
  if (key.length > BLOCK_BYTES) throw new RangeError('The key is longer than a block.');
  const inner = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c);
  key.forEach((byte, at) => {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  });
  const hashInner = (text: string): string => {
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > SHORT_BYTES) {
      return hash('sha256', Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), 'latin1');
    }
    const length = inner.write(text, BLOCK_BYTES);
    const hashed = hash('sha256', inner.subarray(0, BLOCK_BYTES + length), 'latin1');
    // Erase the secret.
    inner.fill(0, BLOCK_BYTES, BLOCK_BYTES + length);
    return hashed;
  };
  return (text) => {
    outer.write(hashInner(text), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'hex');
  };
}
