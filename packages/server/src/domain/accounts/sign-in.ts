import type { AccountRecord, SessionRecord } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { makeAccount } from './account.ts';
import { kindOfLink } from './links.ts';
import { makeSession } from './session.ts';

export type SignedIn = { sessionToken: string; account: AccountRecord; session: SessionRecord };

/** Spends the link. `email` is for a set-up link: the address of the first account. */
export async function signIn(
  { storage, keyring, now }: Service,
  { token, email, userAgent }: { token: string; email: string | undefined; userAgent: string },
): Promise<SignedIn> {
  const at = now();
  const linkHash = keyring.hashLink(token);
  const { sessionToken, session } = makeSession(keyring, userAgent, at);
  const enter = async (): Promise<AccountRecord | undefined> => {
    if (kindOfLink(token) === 'sign-in') return storage.sessions.openByLink(linkHash, at, session);
    if (kindOfLink(token) !== 'set-up' || email === undefined) return undefined;
    const { emailKey, ...account } = makeAccount(email, at);
    const outcome = await storage.sessions.openBySetUp(linkHash, at, { ...account, emailKey }, session);
    return outcome === 'opened' ? account : undefined;
  };
  const account = await enter();
  if (!account) throw new InnkeeperError('linkInvalid');
  return { sessionToken, account, session: { ...session, accountId: account.accountId } };
}
