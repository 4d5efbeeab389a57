import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

type Pace = { everyMs: number; burst: number };

/** Against trying one password on many accounts. Behind a proxy, everyone may come from one network. */
const OF_NETWORK: Pace = { everyMs: 1_000, burst: 100 };
/** Per account (or address without one) and network: guessing elsewhere delays no one here. */
const OF_ACCOUNT_THERE: Pace = { everyMs: 60_000, burst: 10 };
/** Per account, from everywhere: a single network never uses it up. */
const OF_ACCOUNT: Pace = { everyMs: 10_000, burst: 100 };
/** While that is used up, per account and network: slow for many guessers, but the owner still gets a try. */
const WHILE_GUESSED: Pace = { everyMs: 300_000, burst: 2 };
/** Six digits are few, so this applies to the account from everywhere; only someone with the password gets here. */
const OF_CODES: Pace = { everyMs: 60_000, burst: 10 };

/** Hashing a new password takes as long as checking one, and after a sign-in link none is checked before. */
const OF_NEW_PASSWORDS: Pace = { everyMs: 60_000, burst: 10 };

/** For mail that anyone can request: per address and network, and per address from everywhere. */
const OF_MAIL_THERE: Pace = { everyMs: 600_000, burst: 3 };
const OF_MAIL: Pace = { everyMs: 600_000, burst: 10 };

/** Longer than the browser's cookie lasts. */
const OF_STATE: Pace = { everyMs: 3_600_000, burst: 1 };

type Where = { emailKey: string; network: string };

/**
 * Counted in the database before the password is checked, so that concurrent attempts and several replicas do not get
 * extra tries. A refused attempt does not count: no one can lock others out by trying again and again.
 */
export async function admitAttempt(service: Service, where: Where): Promise<void> {
  const { emailKey, network } = where;
  await admit(service, `network ${network}`, OF_NETWORK);
  await admit(service, subjectThere(where), OF_ACCOUNT_THERE);
  if (await isAdmitted(service, `account ${emailKey}`, OF_ACCOUNT)) return;
  await admit(service, subjectWhileGuessed(where), WHILE_GUESSED);
}

export async function admitCode(service: Service, emailKey: string): Promise<void> {
  await admit(service, subjectOfCodes(emailKey), OF_CODES);
}

export async function admitNewPassword(service: Service, emailKey: string): Promise<void> {
  await admit(service, `new password ${emailKey}`, OF_NEW_PASSWORDS);
}

/** Counts whether or not an account has this address. */
export async function admitMail(service: Service, { emailKey, network }: Where): Promise<void> {
  await admit(service, `network ${network}`, OF_NETWORK);
  await admit(service, `mail ${emailKey} from ${network}`, OF_MAIL_THERE);
  await admit(service, `mail ${emailKey}`, OF_MAIL);
}

/** For mail caused by members, such as invitations: whether one more may go to this address. */
export function mayMail(service: Service, emailKey: string): Promise<boolean> {
  return isAdmitted(service, `mail ${emailKey}`, OF_MAIL);
}

/** Whether this sign-in state is used for the first time. */
export async function admitIdentity(service: Service, state: string, network: string): Promise<boolean> {
  await admit(service, `network ${network}`, OF_NETWORK);
  return isAdmitted(service, `identity ${state}`, OF_STATE);
}

/** A successful sign-in resets its counts, but not the one across networks. */
export async function forgetAttempts({ storage, keyring }: Service, where: Where): Promise<void> {
  for (const subject of [subjectThere(where), subjectWhileGuessed(where), subjectOfCodes(where.emailKey)]) {
    await storage.attempts.forget(keyring.hashAttempt(subject));
  }
}

const subjectThere = ({ emailKey, network }: Where): string => `account ${emailKey} from ${network}`;
const subjectWhileGuessed = (where: Where): string => `${subjectThere(where)} while guessed`;
const subjectOfCodes = (emailKey: string): string => `codes ${emailKey}`;

async function admit(service: Service, subject: string, pace: Pace): Promise<void> {
  if (await isAdmitted(service, subject, pace)) return;
  throw new InnkeeperError('tooManySignIns', { headers: { 'retry-after': String(pace.everyMs / 1000) } });
}

function isAdmitted({ storage, keyring, now }: Service, subject: string, pace: Pace): Promise<boolean> {
  return storage.attempts.admit({ subjectHash: keyring.hashAttempt(subject), ...pace }, now());
}
