import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** Of an account, or of an address that nobody has: whoever guesses learns nothing of that. */
const OF_ACCOUNT = { everyMs: 60_000, burst: 10 };
/** Against one password tried on many accounts. Behind a proxy everybody may come from one address. */
const OF_ADDRESS = { everyMs: 1_000, burst: 100 };

/**
 * Counted before the password is looked at, in the database, so that many attempts at once and many replicas get no
 * more than one at a time. One that is refused is not counted: somebody who keeps trying cannot keep others out for good.
 */
export async function admitAttempt(
  { storage, keyring, now }: Service,
  { emailKey, address }: { emailKey: string; address: string },
): Promise<void> {
  for (const [subject, allowance] of [
    [`address ${address}`, OF_ADDRESS],
    [`account ${emailKey}`, OF_ACCOUNT],
  ] as const) {
    const subjectHash = keyring.hashAttempt(subject);
    if (await storage.attempts.admit({ subjectHash, ...allowance }, now())) continue;
    const headers = { 'retry-after': String(allowance.everyMs / 1000) };
    throw new InnkeeperError('tooManySignIns', { headers });
  }
}

export async function forgetAttempts({ storage, keyring }: Service, emailKey: string): Promise<void> {
  await storage.attempts.forget(keyring.hashAttempt(`account ${emailKey}`));
}
