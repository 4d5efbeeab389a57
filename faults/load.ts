import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../packages/server/test/operations/load.ts';
import { checkGuest, compareSelections } from './check-guest.ts';
import { Client, type Counts, describe, type Guest, isDone, isUnknown, type Place } from './guest.ts';

const KEYS = 20;
/** How long a client waits after a refusal. */
const PAUSE_MS = 50;

export type Load = {
  clients: Client[];
  /** Refusals without a reason, and reads that do not show what was acknowledged. */
  surprises: string[];
  counts(): Counts;
  resume(): void;
  /** Lets every client finish its current action. */
  pause(): Promise<void>;
  close(): void;
};

export type LoadOptions = {
  clients: number;
  /** How long a client waits for a response. */
  patienceMs?: number;
  /** Only create users. */
  onlyCreates?: boolean;
  /** Minimum time that a client spends on one user, for about seven actions. By default, clients do not wait. */
  stayMs?: number;
  /** Maximum users of a client: the oldest is deleted when there are more, so that the data stays the same size. */
  keeps?: number;
};

/**
 * Mixed load: clients that create users, sign them in, save, change and read selections, and delete every fourth user.
 */
export function startLoad(place: Place, options: LoadOptions): Load {
  const { clients: count, patienceMs, onlyCreates = false, stayMs = 0, keeps } = options;
  const clients = Array.from({ length: count }, () => new Client(place, patienceMs));
  const surprises: string[] = [];
  let going = false;
  let living: Promise<void>[] = [];
  const live = async (client: Client): Promise<void> => {
    const staying: Guest[] = [];
    while (going) {
      const over = stayMs > 0 ? sleep(stayMs) : undefined;
      const guest = await client.create();
      if (guest.exists !== 'yes') await sleep(PAUSE_MS);
      else if (!onlyCreates) await stay(client, guest, surprises);
      if (keeps !== undefined && staying.push(guest) > keeps) await leave(client, staying.shift() as Guest);
      await over;
    }
  };
  const pause = async (): Promise<void> => {
    going = false;
    await Promise.all(living);
  };
  return {
    ...{ clients, surprises, pause },
    counts: () => sum(clients.map((client) => client.counts)),
    resume() {
      going = true;
      living = clients.map(live);
    },
    close() {
      going = false;
      for (const client of clients) client.close();
    },
  };
}

async function stay(client: Client, guest: Guest, surprises: string[]): Promise<void> {
  const first = client.guests.length % KEYS;
  const keys = [first, (first + 1) % KEYS, first];
  const acts: (() => Promise<Outcome>)[] = [
    () => client.exchange(guest),
    ...keys.map((key) => () => client.save(guest, key)),
    () => client.read(guest),
    ...(client.guests.length % 4 === 0 ? [() => client.remove(guest)] : []),
  ];
  for (const [index, act] of acts.entries()) {
    const outcome = await act();
    if (!isDone(outcome)) {
      if (isRefusal(outcome)) surprises.push(`${guest.name}, act ${index}: ${describe(outcome)}`);
      return void (await sleep(PAUSE_MS));
    }
    if (index === 1 + keys.length)
      compareSelections(guest, outcome, (what) => surprises.push(`${guest.name}: ${what}`));
  }
}

async function leave(client: Client, guest: Guest): Promise<void> {
  if (guest.exists === 'yes' && guest.code !== undefined) await client.remove(guest);
}

/** A refusal without a reason; overload (429) is one. */
function isRefusal(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && !isUnknown(outcome) && outcome.status !== 429;
}

/** Compares everything the clients were told with the actual state: for all their users, or the given ones. */
export async function checkAll(load: Load, guestsOf = (client: Client): Guest[] => client.guests): Promise<string[]> {
  const losses = await Promise.all(
    load.clients.map(async (client) => {
      const found: string[] = [];
      for (const guest of guestsOf(client)) found.push(...(await checkGuest(client, guest)));
      return found;
    }),
  );
  return losses.flat();
}

function sum(counts: Counts[]): Counts {
  const total: Counts = { acknowledged: 0, refused: 0, unknown: 0 };
  for (const each of counts) {
    for (const kind of ['acknowledged', 'refused', 'unknown'] as const) total[kind] += each[kind];
  }
  return total;
}
