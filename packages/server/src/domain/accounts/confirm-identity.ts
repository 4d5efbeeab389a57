import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { emailKeyOf } from './account.ts';
import { admitAttempt, forgetAttempts } from './admit-attempt.ts';
import { verifyPassword } from './password.ts';
import { readFactor } from './second-factor.ts';
import type { SignedIn } from './sign-in.ts';

/** How long opening a sign-in link counts as proof of identity. */
const FRESH_MS = 15 * 60_000;

/** The password, and a code if the account requires one. */
export type Proof = { password: string | undefined; code: string | undefined };

/** What a sensitive action requires at the moment. */
export type NeededProof = { password: boolean; code: boolean; link: boolean };

/**
 * A recent sign-in link replaces the password, for people who have forgotten it, and so does a recent sign-in with the
 * identity provider. Neither replaces the code. An account with neither password nor code has to sign in again.
 */
export function neededProof(
  { passwords }: Pick<Service, 'passwords'>,
  { account, session }: SignedIn,
  now: number,
): NeededProof {
  const isFresh = session.means !== 'password' && now - session.createdAt < FRESH_MS;
  const hasPassword = passwords && account.hasPassword;
  return {
    password: hasPassword && !isFresh,
    code: account.hasTotp,
    link: !hasPassword && !account.hasTotp && !isFresh,
  };
}

/** Required before anything that would outlive a stolen session. */
export async function confirmIdentity(
  service: Service,
  signedIn: SignedIn,
  { password, code }: Proof,
  network: string,
): Promise<void> {
  const { storage, now } = service;
  const { account } = signedIn;
  const needed = neededProof(service, signedIn, now());
  if (needed.link) throw linkNeeded(account.email, service.oidc?.name);
  if (!needed.password && !needed.code) return;
  if (needed.password && password === undefined) {
    throw new InnkeeperError('passwordWrong', { message: 'Your password is required.' });
  }
  const where = { emailKey: emailKeyOf(account.email), network };
  await admitAttempt(service, where);
  const credentials = await storage.accounts.credentials(account.accountId);
  if (!credentials) throw new InnkeeperError('sessionEnded');
  if (needed.password && !(await verifyPassword(credentials.passwordHash, password as string))) {
    throw new InnkeeperError('passwordWrong');
  }
  const factor = await readFactor(service, where.emailKey, credentials, code);
  const isRight =
    factor === undefined ||
    (typeof factor === 'object' && (await storage.secondFactors.spend(account.accountId, factor)));
  if (!isRight) throw new InnkeeperError('codeWrong', { more: { needs: 'code' } });
  await forgetAttempts(service, where);
}

function linkNeeded(email: string, provider: string | undefined): InnkeeperError {
  const message =
    provider === undefined
      ? `Sign in again with a new link to confirm this. The operator creates one: innkeeper admin create --email ${email}`
      : `Sign out and sign in again with ${provider} to confirm this.`;
  return new InnkeeperError('linkNeeded', { message, more: { needs: 'link' } });
}
