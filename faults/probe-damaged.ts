import type { Outcome } from '../packages/server/test/operations/load.ts';
import { type Client, describe, type Guest, isDone } from './guest.ts';

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
  const act = async (what: string, guest: Guest, work: (guest: Guest) => Promise<Outcome>): Promise<void> => {
    await look();
    judge(what, what !== 'read', await work(guest));
  };
  const there = [...client.guests];
  for (const guest of there) await act('read', guest, (each) => client.read(each));
  for (const [index, guest] of there.entries()) {
    const step = index % 4;
    if (step === 0) await act('save', guest, (each) => client.save(each, index % 8));
    else if (step === 1) {
      await act('special token', guest, async (each) => {
        const asked = await client.ask(each);
        if (isDone(asked)) each.specialToken = String(asked.body.specialToken);
        return asked;
      });
      if (guest.specialToken !== undefined) await act('exchange', guest, (each) => client.exchange(each));
    } else if (step === 2) await act('delete', guest, (each) => client.remove(each));
    else await act('create', { name: '', exists: 'no', selections: new Map() }, async () => createOne(client));
  }
}

async function createOne(client: Client): Promise<Outcome> {
  const guest: Guest = { name: `new-${client.guests.length}-${process.pid}`, exists: 'no', selections: new Map() };
  client.guests.push(guest);
  return client.recreate(guest);
}
