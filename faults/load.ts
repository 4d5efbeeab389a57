import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../packages/server/test/operations/load.ts';
import { checkUser, compareSelections } from './check-user.ts';
import { Client, type Counts, describe, isDone, isUnknown, type Place, type TestUser } from './client.ts';

const KEYS = 20;
/** How long a client waits after a refusal. */
const PAUSE_MS = 50;

export type Load = {
  clients: Client[];
  /** Refusals without a reason, and reads that do not show what was acknowledged. */
  unexpected: string[];
  counts(): Counts;
  resume(): void;
  /** Lets every client finish its current action. */
  pause(): Promise<void>;
  close(): void;
};

export type LoadOptions = {
  clients: number;
  /** How long a client waits for a response. */
  timeoutMs?: number;
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
  const { clients: count, timeoutMs, onlyCreates = false, stayMs = 0, keeps } = options;
  const clients = Array.from({ length: count }, () => new Client(place, timeoutMs));
  const unexpected: string[] = [];
  let going = false;
  let living: Promise<void>[] = [];
  const live = async (client: Client): Promise<void> => {
    const staying: TestUser[] = [];
    while (going) {
      const over = stayMs > 0 ? sleep(stayMs) : undefined;
      const user = await client.create();
      if (user.exists !== 'yes') await sleep(PAUSE_MS);
      else if (!onlyCreates) await stay(client, user, unexpected);
      if (keeps !== undefined && staying.push(user) > keeps) await leave(client, staying.shift() as TestUser);
      await over;
    }
  };
  const pause = async (): Promise<void> => {
    going = false;
    await Promise.all(living);
  };
  return {
    ...{ clients, unexpected, pause },
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

async function stay(client: Client, user: TestUser, unexpected: string[]): Promise<void> {
  const first = client.users.length % KEYS;
  const keys = [first, (first + 1) % KEYS, first];
  const acts: (() => Promise<Outcome>)[] = [
    () => client.exchange(user),
    ...keys.map((key) => () => client.save(user, key)),
    () => client.read(user),
    ...(client.users.length % 4 === 0 ? [() => client.remove(user)] : []),
  ];
  for (const [index, act] of acts.entries()) {
    const outcome = await act();
    if (!isDone(outcome)) {
      if (isRefusal(outcome)) unexpected.push(`${user.name}, act ${index}: ${describe(outcome)}`);
      return void (await sleep(PAUSE_MS));
    }
    if (index === 1 + keys.length) compareSelections(user, outcome, (what) => unexpected.push(`${user.name}: ${what}`));
  }
}

async function leave(client: Client, user: TestUser): Promise<void> {
  if (user.exists === 'yes' && user.code !== undefined) await client.remove(user);
}

/** A refusal without a reason; overload (429) is one. */
function isRefusal(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && !isUnknown(outcome) && outcome.status !== 429;
}

/** Compares everything acknowledged to the clients with the actual state: for all their users, or the given ones. */
export async function checkAll(load: Load, usersOf = (client: Client): TestUser[] => client.users): Promise<string[]> {
  const losses = await Promise.all(
    load.clients.map(async (client) => {
      const found: string[] = [];
      for (const user of usersOf(client)) found.push(...(await checkUser(client, user)));
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
