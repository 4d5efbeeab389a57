import { setTimeout as sleep } from 'node:timers/promises';
import { KEY_NAMES } from '../bench/catalog.ts';
import type { Outcome } from '../packages/server/test/operations/load.ts';
import { type Client, type Done, describe, type Guest, isDone } from './guest.ts';

/** For all checks of a client together: a service that is down for good is soon recognized. */
const MAX_PAUSES = 20;
const PAUSE_MS = 250;
const pausesOf = new WeakMap<Client, number>();

/**
 * Compares what a client was told about a user with what the service says now, and so resolves what the client could
 * not know. Returns what differs from what was acknowledged, and what is only half done.
 */
export async function checkGuest(client: Client, guest: Guest): Promise<string[]> {
  const losses: string[] = [];
  const lose = (what: string, outcome?: Outcome): void => {
    losses.push(`${guest.name}: ${what}${outcome ? `: ${describe(outcome)}` : ''}`);
  };
  if (guest.exists === 'no') {
    await expectGone(client, guest, lose);
  } else if (guest.exists === 'yes') {
    await expectThere(client, guest, lose);
  } else if (guest.code === undefined) {
    // Complete or absent: never a profile without its user (0024).
    const again = await insist(client, () => client.recreate(guest));
    if (!isDone(again) && !isCode(again, '0001')) lose('neither made nor unmade', again);
    else await expectThere(client, guest, lose);
  } else {
    const found = await insist(client, () => client.read(guest));
    guest.exists = isDone(found) ? 'yes' : 'no';
    await (isDone(found) ? expectThere : expectGone)(client, guest, lose);
  }
  return losses;
}

/** Retries like a client that gets Retry-After: a 503 says nothing about the user. */
async function insist(client: Client, act: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    const outcome = await act();
    const pauses = pausesOf.get(client) ?? 0;
    if (pauses === MAX_PAUSES || outcome.kind !== 'answered' || outcome.status !== 503) return outcome;
    pausesOf.set(client, pauses + 1);
    await sleep(PAUSE_MS);
  }
}

type Lose = (what: string, outcome?: Outcome) => void;

async function expectThere(client: Client, guest: Guest, lose: Lose): Promise<void> {
  if (guest.accessToken === undefined) {
    if (guest.specialToken === undefined) {
      const asked = await insist(client, () => client.ask(guest));
      if (!isDone(asked)) return lose('an acknowledged user is gone', asked);
      guest.specialToken = String(asked.body.specialToken);
    }
    const { specialToken } = guest;
    const granted = await insist(client, () => client.exchange(Object.assign(guest, { specialToken })));
    if (!isDone(granted)) return lose('a special token that was never spent is not good', granted);
  }
  const found = await insist(client, () => client.read(guest));
  if (!isDone(found)) return lose('an acknowledged user or token is gone', found);
  compareSelections(guest, found, lose);
}

async function expectGone(client: Client, guest: Guest, lose: Lose): Promise<void> {
  const asked = await insist(client, () => client.ask(guest));
  if (!isCode(asked, '0025')) lose('a user that was deleted or refused is there', asked);
  if (guest.accessToken === undefined) return;
  const found = await insist(client, () => client.read(guest));
  if (found.kind !== 'answered' || found.status !== 401) lose('the token of a deleted user is good', found);
}

export function compareSelections(guest: Guest, { body }: Done, lose: Lose): void {
  const items = body.items as { option: { name: string; value: unknown } }[];
  const found = new Map(items.map(({ option }) => [KEY_NAMES.indexOf(option.name), option.value]));
  for (const key of new Set([...guest.selections.keys(), ...found.keys()])) {
    const possible = guest.selections.get(key) ?? [undefined];
    const value = found.get(key);
    if (!possible.includes(value)) lose(`selection ${key} is ${value} and can only be ${possible.join(' or ')}`);
    if (value === undefined) guest.selections.delete(key);
    else guest.selections.set(key, [value]);
  }
}

export function isCode(outcome: Outcome, code: string): boolean {
  return outcome.kind === 'answered' && outcome.body.code === code;
}
