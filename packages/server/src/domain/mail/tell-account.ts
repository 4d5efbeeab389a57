import type { AccountRecord } from '../../storage/port.ts';
import type { Service } from '../service.ts';
import type { AccountChange } from './letter-texts.ts';
import { letterLanguage, writeLetter } from './write-letter.ts';

/** Mails the owner of an account that password or second factor changed, where mail is set up: it may not have been them. */
export function tellAccount(
  { mailer, publicUrl, now }: Service,
  account: Pick<AccountRecord, 'email' | 'preferences'>,
  change: AccountChange,
): void {
  const content = { kind: 'accountChanged', change, at: now(), link: `${publicUrl}/portal/account` } as const;
  mailer?.send(async () => writeLetter(account.email, letterLanguage(account, 'en'), content));
}
