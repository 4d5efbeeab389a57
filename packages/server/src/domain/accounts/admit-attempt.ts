import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

type Pace = { everyMs: number; burst: number };

/** Against one password tried on many accounts. Behind a proxy everybody may come from one network. */
const OF_NETWORK: Pace = { everyMs: 1_000, burst: 100 };
/** Of an account, or of an address without one, from one network: guessing elsewhere delays nobody here. */
const OF_ACCOUNT_THERE: Pace = { everyMs: 60_000, burst: 10 };
/** Of an account from everywhere: one network alone never uses it up. */
const OF_ACCOUNT: Pace = { everyMs: 10_000, burst: 100 };
/** While that is used up, of the account from one network: slow for many guessers, and still a try for its owner. */
const WHILE_GUESSED: Pace = { everyMs: 300_000, burst: 2 };
/** Six digits are few, so this is for the account wherever it comes from; only who has the password gets here. */
const OF_CODES: Pace = { everyMs: 60_000, burst: 10 };

/** Mails that anyone can ask for: to one address from one network, and from everywhere. */
const OF_MAIL_THERE: Pace = { everyMs: 600_000, burst: 3 };
const OF_MAIL: Pace = { everyMs: 600_000, burst: 10 };

/** Longer than the browser keeps it. */
const OF_STATE: Pace = { everyMs: 3_600_000, burst: 1 };

type Where = { emailKey: string; network: string };

/**
 * Counted before the password is looked at, in the database, so that many attempts at once and many replicas get no
 * more than one at a time. One that is refused is not counted: somebody who keeps trying cannot keep others out for good.
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

/** Whether there is an account with this address or not. */
export async function admitMail(service: Service, { emailKey, network }: Where): Promise<void> {
  await admit(service, `network ${network}`, OF_NETWORK);
  await admit(service, `mail ${emailKey} from ${network}`, OF_MAIL_THERE);
  await admit(service, `mail ${emailKey}`, OF_MAIL);
}

/** Of mails that members cause, invitations: whether one more may go to this address. */
export function mayMail(service: Service, emailKey: string): Promise<boolean> {
  return isAdmitted(service, `mail ${emailKey}`, OF_MAIL);
}

/** Whether this state of a sign-in by an identity provider is used for the first time. */
export async function admitIdentity(service: Service, state: string, network: string): Promise<boolean> {
  await admit(service, `network ${network}`, OF_NETWORK);
  return isAdmitted(service, `identity ${state}`, OF_STATE);
}

/** A successful sign-in resets its counts. The count across networks goes on. */
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
