import type { AccountRecord } from '../../storage/port.ts';
import type { Service } from '../service.ts';
import type { AccountChange, AccountReset } from './letter-texts.ts';
import { letterLanguage, writeLetter } from './write-letter.ts';

/**
 * If mail is set up, tells the owner of an account that its password or second factor changed: it may not have been
 * them.
 */
export function notifyAccount(
  { mailer, publicUrl, now }: Service,
  account: Pick<AccountRecord, 'email' | 'preferences'>,
  change: AccountChange,
): void {
  const content = { kind: 'accountChanged', change, at: now(), link: `${publicUrl}/portal/account` } as const;
  mailer?.send(async () => writeLetter(account.email, letterLanguage(account, 'en'), content));
}

/** The same after a reset by the operator. */
export function notifyOfReset(
  { mailer, publicUrl, now }: Pick<Service, 'mailer' | 'publicUrl' | 'now'>,
  account: Pick<AccountRecord, 'email' | 'preferences'>,
  reset: AccountReset,
): void {
  const content = { kind: 'accountReset', reset, at: now(), link: `${publicUrl}/portal/sign-in` } as const;
  mailer?.send(async () => writeLetter(account.email, letterLanguage(account, 'en'), content));
}
