import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { NewSession } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';

const HOUR_MS = 3600 * 1000;
/** A session ends when unused for this long, and after this many days in any case. */
const IDLE_MS = 12 * HOUR_MS;
export const MAX_MS = 30 * 24 * HOUR_MS;
const USER_AGENT_LENGTH = 255;

/** Always a new session: one that the browser already had is never upgraded. */
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

/** The end of a session opened at `createdAt` and used now. */
export function endOf(createdAt: number, now: number): number {
  return Math.min(now + IDLE_MS, createdAt + MAX_MS);
}
