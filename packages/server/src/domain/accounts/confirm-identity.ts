import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { emailKeyOf } from './account.ts';
import { admitAttempt, forgetAttempts } from './admit-attempt.ts';
import { verifyPassword } from './password.ts';
import { readFactor } from './second-factor.ts';
import type { SignedIn } from './sign-in.ts';

const FRESH_MS = 3600 * 1000;

/** The password, and a code where the account asks for one. */
export type Proof = { password: string | undefined; code: string | undefined };

/** A link is how one gets in who has forgotten the password: for a while it stands for it. */
export function needsPassword({ account, session }: SignedIn, now: number): boolean {
  return account.hasPassword && !(session.means === 'link' && now - session.createdAt < FRESH_MS);
}

/** That it is really them, before something that a stolen session must not do. */
export async function confirmIdentity(
  service: Service,
  signedIn: SignedIn,
  { password, code }: Proof,
  network: string,
): Promise<void> {
  const { storage, now } = service;
  const { account } = signedIn;
  if (!needsPassword(signedIn, now())) return;
  if (password === undefined) throw new InnkeeperError('passwordWrong', { message: 'Your password is needed.' });
  const where = { emailKey: emailKeyOf(account.email), network };
  await admitAttempt(service, where);
  const credentials = await storage.accounts.credentials(account.accountId);
  if (!credentials || !(await verifyPassword(credentials.passwordHash, password))) {
    throw new InnkeeperError('passwordWrong');
  }
  const factor = await readFactor(service, where.emailKey, credentials, code);
  const isRight =
    factor === undefined ||
    (typeof factor === 'object' && (await storage.secondFactors.spend(account.accountId, factor)));
  if (!isRight) throw new InnkeeperError('codeWrong', { more: { needs: 'code' } });
  await forgetAttempts(service, where);
}
