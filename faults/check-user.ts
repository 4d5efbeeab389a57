import { setTimeout as sleep } from 'node:timers/promises';
import { KEY_NAMES } from '../bench/catalog.ts';
import type { Outcome } from '../packages/server/test/operations/load.ts';
import { type Client, type Done, describe, isDone, type TestUser } from './client.ts';

/** For all checks of a client together: a service that is down for good is soon recognized. */
const MAX_PAUSES = 20;
const PAUSE_MS = 250;
const pausesOf = new WeakMap<Client, number>();

/**
 * Compares what was acknowledged to a client about a user with what the service returns now, which also resolves
 * unknown outcomes. Returns the differences, and anything that is only partly done.
 */
export async function checkUser(client: Client, user: TestUser): Promise<string[]> {
  const losses: string[] = [];
  const lose = (what: string, outcome?: Outcome): void => {
    losses.push(`${user.name}: ${what}${outcome ? `: ${describe(outcome)}` : ''}`);
  };
  if (user.exists === 'no') {
    await expectGone(client, user, lose);
  } else if (user.exists === 'yes') {
    await expectThere(client, user, lose);
  } else if (user.code === undefined) {
    // Complete or absent: never a profile without its user (0024).
    const again = await retryUntilAnswered(client, () => client.recreate(user));
    if (!isDone(again) && !isCode(again, '0001')) lose('neither made nor unmade', again);
    else await expectThere(client, user, lose);
  } else {
    const found = await retryUntilAnswered(client, () => client.read(user));
    user.exists = isDone(found) ? 'yes' : 'no';
    await (isDone(found) ? expectThere : expectGone)(client, user, lose);
  }
  return losses;
}

/** Retries like a client that gets Retry-After: a 503 says nothing about the user. */
async function retryUntilAnswered(client: Client, act: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    const outcome = await act();
    const pauses = pausesOf.get(client) ?? 0;
    if (pauses === MAX_PAUSES || outcome.kind !== 'answered' || outcome.status !== 503) return outcome;
    pausesOf.set(client, pauses + 1);
    await sleep(PAUSE_MS);
  }
}

type Lose = (what: string, outcome?: Outcome) => void;

async function expectThere(client: Client, user: TestUser, lose: Lose): Promise<void> {
  if (user.accessToken === undefined) {
    if (user.specialToken === undefined) {
      const outcome = await retryUntilAnswered(client, () => client.ask(user));
      if (!isDone(outcome)) return lose('an acknowledged user is gone', outcome);
      user.specialToken = String(outcome.body.specialToken);
    }
    const { specialToken } = user;
    const granted = await retryUntilAnswered(client, () => client.exchange(Object.assign(user, { specialToken })));
    if (!isDone(granted)) return lose('a special token that was never spent is not valid', granted);
  }
  const found = await retryUntilAnswered(client, () => client.read(user));
  if (!isDone(found)) return lose('an acknowledged user or token is gone', found);
  compareSelections(user, found, lose);
}

async function expectGone(client: Client, user: TestUser, lose: Lose): Promise<void> {
  const outcome = await retryUntilAnswered(client, () => client.ask(user));
  if (!isCode(outcome, '0025')) lose('a user that was deleted or refused is there', outcome);
  if (user.accessToken === undefined) return;
  const found = await retryUntilAnswered(client, () => client.read(user));
  if (found.kind !== 'answered' || found.status !== 401) lose('the token of a deleted user is valid', found);
}

export function compareSelections(user: TestUser, { body }: Done, lose: Lose): void {
  const items = body.items as { option: { name: string; value: unknown } }[];
  const found = new Map(items.map(({ option }) => [KEY_NAMES.indexOf(option.name), option.value]));
  for (const key of new Set([...user.selections.keys(), ...found.keys()])) {
    const possible = user.selections.get(key) ?? [undefined];
    const value = found.get(key);
    if (!possible.includes(value)) lose(`selection ${key} is ${value} and can only be ${possible.join(' or ')}`);
    if (value === undefined) user.selections.delete(key);
    else user.selections.set(key, [value]);
  }
}

export function isCode(outcome: Outcome, code: string): boolean {
  return outcome.kind === 'answered' && outcome.body.code === code;
}
