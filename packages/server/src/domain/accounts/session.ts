import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { NewSession } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';

const HOUR_MS = 3600 * 1000;
/** Unused for so long, it ends; and however much it is used, after so many days. */
const IDLE_MS = 12 * HOUR_MS;
export const LONGEST_MS = 30 * 24 * HOUR_MS;
const USER_AGENT_LENGTH = 255;

/** A new one at every sign-in: nothing that a browser brought along is ever made good. */
export function makeSession(
  keyring: Keyring,
  { userAgent, means, now }: { userAgent: string; means: NewSession['means']; now: number },
): { sessionToken: string; session: NewSession } {
  const sessionToken = `iks_${randomBytes(32).toString('base64url')}`;
  const session: NewSession = {
    sessionId: randomUUIDv7(),
    sessionHash: keyring.hashSession(sessionToken),
    createdAt: now,
    lastSeenAt: now,
    endsAt: endOf(now, now),
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH),
    means,
  };
  return { sessionToken, session };
}

export function isSessionToken(text: string): boolean {
  return /^iks_[\w-]{43}$/.test(text);
}

/** Of one that was opened then and is used now. */
export function endOf(createdAt: number, now: number): number {
  return Math.min(now + IDLE_MS, createdAt + LONGEST_MS);
}
