import type { Outcome } from '../packages/server/test/operations/load.ts';
import { type Client, describe, isDone, type TestUser } from './client.ts';

export type Seen = {
  acknowledged: number;
  /** Responses that denied an existing user, token or selection before the damage was detected. */
  missing: number;
  refused: number;
};

/** How often to check whether the service has detected the damage. */
const LOOK_EVERY = 10;

/**
 * Sends requests of every kind for users who all exist. With any damage, a response must be correct, a 503, or, until
 * the damage is detected, a false "not found". Everything else is a loss.
 */
export async function probeDamaged(
  client: Client,
  url: string,
  seen: Seen,
  lose: (what: string) => void,
): Promise<void> {
  let isKnown = false;
  let sent = 0;
  const judge = (what: string, isWrite: boolean, outcome: Outcome): void => {
    if (outcome.kind !== 'answered') lose(`${what}: ${describe(outcome)}`);
    else if (outcome.status < 300) {
      seen.acknowledged++;
      if (isKnown && isWrite) lose(`${what} was acknowledged after the damage was known`);
    } else if (outcome.status === 503) seen.refused++;
    else if (outcome.status >= 500) lose(`${what}: ${describe(outcome)}`);
    else if (isKnown) lose(`${what} was denied after the damage was known: ${describe(outcome)}`);
    else seen.missing++;
  };
  const look = async (): Promise<void> => {
    if (sent++ % LOOK_EVERY > 0 || isKnown) return;
    isKnown = !(await fetch(`${url}/readyz`)).ok;
  };
  const act = async (what: string, user: TestUser, work: (user: TestUser) => Promise<Outcome>): Promise<void> => {
    await look();
    judge(what, what !== 'read', await work(user));
  };
  const there = [...client.users];
  for (const user of there) await act('read', user, (each) => client.read(each));
  for (const [index, user] of there.entries()) {
    const step = index % 4;
    if (step === 0) await act('save', user, (each) => client.save(each, index % 8));
    else if (step === 1) {
      await act('special token', user, async (each) => {
        const outcome = await client.ask(each);
        if (isDone(outcome)) each.specialToken = String(outcome.body.specialToken);
        return outcome;
      });
      if (user.specialToken !== undefined) await act('exchange', user, (each) => client.exchange(each));
    } else if (step === 2) await act('delete', user, (each) => client.remove(each));
    else await act('create', { name: '', exists: 'no', selections: new Map() }, async () => createOne(client));
  }
}

async function createOne(client: Client): Promise<Outcome> {
  const user: TestUser = { name: `new-${client.users.length}-${process.pid}`, exists: 'no', selections: new Map() };
  client.users.push(user);
  return client.recreate(user);
}
