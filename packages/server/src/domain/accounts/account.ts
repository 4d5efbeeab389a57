import { randomUUIDv7 } from 'node:crypto';
import type { NewAccount, Person, SessionRecord } from '../../storage/port.ts';
import { missingReason } from '../required.ts';
import { isEmail } from '../users/email.ts';

export type SignedIn = Person & { session: SessionRecord };

/** Addresses are compared case-insensitively: people write their own in several ways. */
export function emailKeyOf(email: string): string {
  return email.toLowerCase();
}

/** Why a text cannot be an account's address, worded to follow the field's name. */
export function accountEmailProblem(email: unknown): string | undefined {
  return missingReason(email) ?? (isEmail(email as string) ? undefined : 'is not an e-mail address');
}

export function makeAccount(
  email: string,
  { role, passwordHash = null, now }: { role: NewAccount['role']; passwordHash?: string | null; now: number },
): NewAccount {
  return { accountId: randomUUIDv7(), email, emailKey: emailKeyOf(email), role, passwordHash, createdAt: now };
}

export const THEMES = ['auto', 'light', 'dark'] as const;
export const PORTAL_LANGUAGES = ['en', 'de', 'es', 'hu'] as const;

export type PortalLanguage = (typeof PORTAL_LANGUAGES)[number];

/** Someone's preferences for the portal; a null language is the browser's. */
export type Preferences = {
  theme: (typeof THEMES)[number];
  language: PortalLanguage | null;
};

const DEFAULTS: Preferences = { theme: 'auto', language: null };

export function readPreferences(stored: string): Preferences {
  return { ...DEFAULTS, ...(JSON.parse(stored) as Partial<Preferences>) };
}
