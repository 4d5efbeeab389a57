import type { PendingSignIn } from '../../tokens/port.ts';
import { makeCookie, readCookie } from '../manage/session-cookie.ts';

/** Stored next to the session cookie, in the browser that began to sign in. */
export type PendingCookie = PendingSignIn & { next: string; at: number };

const NAME = 'innkeeper-oidc';
/** Enough for a password, a code and finding the phone. */
const LIFETIME_MS = 15 * 60_000;
const MAX_LENGTH = 2_000;

/** SameSite=Lax, because the provider's page leads back here. Its content is useless without what the provider sends. */
export function pendingCookie(publicUrl: string, pending: PendingCookie): string {
  const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
  return makeCookie(publicUrl, { name: NAME, value, maxAge: LIFETIME_MS / 1000, sameSite: 'Lax' });
}

export function readPendingCookie(
  header: string | undefined,
  publicUrl: string,
  now: number,
): PendingCookie | undefined {
  const value = readCookie(header, publicUrl, NAME);
  if (value === undefined || value.length > MAX_LENGTH) return undefined;
  try {
    const read = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<
      Record<keyof PendingCookie, unknown>
    >;
    const { state, nonce, verifier, next, at } = read;
    const texts = [state, nonce, verifier, next];
    if (!texts.every((each) => typeof each === 'string') || typeof at !== 'number') return undefined;
    return Math.abs(now - at) <= LIFETIME_MS ? (read as PendingCookie) : undefined;
  } catch {
    return undefined;
  }
}
