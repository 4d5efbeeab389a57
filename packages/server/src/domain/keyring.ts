import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { keyedHash } from './keyed-hash.ts';

/**
 * Everything that INNKEEPER_SECRET protects. Each use has a key of its own, derived from it, so
 * that what one use reveals says nothing about another.
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
  /** Authenticates preference links; it depends on no signing key, so links outlive those. */
  hashPreferenceLink(content: string): string;
  seal(plain: Uint8Array): string;
  /** undefined when it was sealed under another secret, or altered. */
  unseal(sealed: string): Uint8Array | undefined;
  sealTotp(secret: Uint8Array): string;
  unsealTotp(sealed: string): Uint8Array | undefined;
  sealWebhookSecret(secret: string): string;
  unsealWebhookSecret(sealed: string): string | undefined;
};

export function createKeyring(secret: string): Keyring {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'innkeeper', use, 32));
  const hashFor = (use: string) => keyedHash(derive(use));
  const sealKey = derive('seal');
  const totpKey = derive('totp');
  const webhookKey = derive('webhook');

  return {
    hashSecret: hashFor('client-secret'),
    hashToken: hashFor('token'),
    hashIdempotency: hashFor('idempotency'),
    hashManageToken: hashFor('manage-token'),
    hashLink: hashFor('sign-in-link'),
    hashSession: hashFor('session'),
    hashRecoveryCode: hashFor('recovery-code'),
    hashAttempt: hashFor('sign-in-attempt'),
    hashLimited: hashFor('rate-limit'),
    hashCursor: hashFor('event-cursor'),
    hashPreferenceLink: hashFor('preference-link'),
    seal: (plain) => seal(sealKey, plain),
    unseal: (sealed) => unseal(sealKey, sealed),
    sealTotp: (secret) => seal(totpKey, secret),
    unsealTotp: (sealed) => unseal(totpKey, sealed),
    sealWebhookSecret: (secret) => seal(webhookKey, Buffer.from(secret)),
    unsealWebhookSecret(sealed) {
      const secret = unseal(webhookKey, sealed);
      return secret && Buffer.from(secret).toString();
    },
  };
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
