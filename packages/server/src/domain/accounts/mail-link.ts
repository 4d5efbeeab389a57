import { actingAs } from '../audit/actor.ts';
import { InnkeeperError } from '../errors.ts';
import { letterLanguage, writeLetter } from '../mail/write-letter.ts';
import type { Service } from '../service.ts';
import { emailKeyOf } from './account.ts';
import { admitMail } from './admit-attempt.ts';
import { addMailedLink } from './links.ts';
import type { PortalLanguage } from './preferences.ts';

export type WantedLink = { email: string; purpose: 'password' | 'signIn'; language: PortalLanguage };

/** The page for setting a password. */
const PASSWORD_PAGE = '/account';

/**
 * Mails a sign-in link to an account. Looks up the account after responding, so that neither the response nor its
 * timing tells whether there is one.
 */
export async function mailLink(service: Service, wanted: WantedLink, network: string): Promise<void> {
  const { mailer } = service;
  if (!mailer) throw new InnkeeperError('mailOff');
  if (!service.passwords) throw new InnkeeperError('passwordsOff');
  const emailKey = emailKeyOf(wanted.email);
  await admitMail(service, { emailKey, network });
  mailer.send(async () => {
    const { storage, keyring, publicUrl, now } = service;
    const { account } = (await storage.accounts.findByEmail(emailKey)) ?? {};
    if (!account) return undefined;
    const { accountId, email } = account;
    const next = wanted.purpose === 'password' ? PASSWORD_PAGE : '';
    const made = await actingAs(email, () =>
      addMailedLink(storage, keyring, { accountId, publicUrl, next, now: now() }),
    );
    return made && writeLetter(email, letterLanguage(account, wanted.language), { kind: wanted.purpose, ...made });
  });
}
