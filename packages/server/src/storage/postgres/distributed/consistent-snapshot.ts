import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseRefused } from '../../port.ts';
import { isCancelled, isConflict, isUnderLock } from '../errors.ts';
import type { Query, Transactions } from '../transactions.ts';
import { HOME_TABLES, type Homes, OWN_TABLES, schemaOf } from './homes.ts';
import { type Side, Sides, sideBySide } from './sides.ts';

/** Every act reads this table on the coordinator; see home-connections.ts. */
const OF_EVERY_ACT = 'guard';
/** No act uses this one there, nor is it analysed; a move locks all tables of its home on the coordinator. */
const OF_NO_ACT = 'webhook_responses';

/**
 * Comes first in each transaction that may write on several nodes. Those who wait for writers close this gate before
 * they lock tables: a transaction that held one of two homes would otherwise wait for them, and they for it.
 */
export const ENTER = 'lock table schema_lock in row share mode';
export const CLOSE = 'lock table schema_lock in exclusive mode';

/** How long writers may be kept waiting: an act waits for longer. */
const HOLD_MS = 2_000;
/** In case this process hangs. */
const IDLE_MS = 3_000;
const PATIENCE_MS = 120_000;

/** Keeps acts, backups and moves out of all homes until the transaction ends. */
export async function lockHomes(query: Query, homes: readonly number[]): Promise<void> {
  await query(
    inBlock(homes, (home) => [OF_NO_ACT, OF_EVERY_ACT].map((table) => lockHere(home, table, 'ACCESS EXCLUSIVE'))),
  );
}

export type Moment = {
  homes: Homes;
  /** Tables of the coordinator that are read. */
  tables: string;
  statementMs: number;
  patienceMs?: number;
  /** Settings of the transactions. */
  prepare(query: Query): Promise<unknown>;
};

/**
 * Reads all nodes as of one moment, which Citus cannot do by itself: a transaction has a snapshot of its own on each
 * node. So one transaction keeps all writers waiting until another has its snapshots, which takes milliseconds. A lock
 * on a table is given up when its writer has committed on that node, also in the second phase: what is visible then is
 * all of each act or nothing.
 */
export async function readAtOneMoment<T>(
  transactions: Transactions,
  { homes, tables, statementMs, prepare, patienceMs = PATIENCE_MS }: Moment,
  read: (sides: Sides) => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pause = 500; ; pause *= 2) {
    let isSeen = false;
    try {
      // The next transactions have the same connections, with which Citus keeps its connections to the nodes: opening
      // them takes longer than all that writers wait for.
      await sideBySide(transactions, statementMs, (queries) =>
        new Sides(homes, queries).each((side) => side.query(inBlock(side.homes, (home) => [look(home)]))),
      );
      return await sideBySide(transactions, statementMs, async (queries) => {
        const sides = new Sides(homes, queries);
        await sides.each(async ({ query }) => {
          await prepare(query);
          await query('set transaction isolation level repeatable read, read only');
        });
        await transactions.run(async (hold) => {
          await prepare(hold);
          const within = await holdWriters(hold, homes, tables);
          await sides.each((side) => takeSnapshots(side, tables, within));
        }, statementMs);
        isSeen = true;
        return read(sides);
      });
    } catch (error) {
      if (isSeen || !(isUnderLock(error) || isCancelled(error) || isConflict(error))) throw error;
      if (performance.now() + pause > giveUpAt) {
        throw new DatabaseRefused(
          `the database was never without a change for a moment, in ${patienceMs / 1000} seconds: one is taking long, or a home is being moved to another worker.`,
          'Wait until imports, deletions of applications and rebalancing are done (`select * from citus_rebalance_status()`), then run this again. `select * from citus_stat_activity` on the coordinator lists what is running.',
        );
      }
    }
    await sleep(pause);
  }
}

/** Returns how to send statements while writers wait. */
async function holdWriters(query: Query, homes: Homes, tables: string): Promise<Within> {
  // Homes stay where they are until the end of the backup, whose transaction takes over this lock: a node has no
  // snapshot of what comes to it later. Waiting here keeps no act waiting.
  await query(inBlock(homes.all, (home) => [lockHere(home, OF_NO_ACT, 'SHARE'), look(home)]));
  const until = performance.now() + HOLD_MS;
  const within: Within = async (sent, text) => {
    // By itself: Citus sends a text that sets something to workers as a whole.
    await sent(`set local statement_timeout = ${Math.max(1, Math.ceil(until - performance.now()))}`);
    await sent(text);
  };
  await query(`set local idle_in_transaction_session_timeout = ${IDLE_MS}`);
  await within(query, CLOSE);
  await within(
    query,
    inBlock(homes.all, (home) => {
      const shards = [...HOME_TABLES, ...OWN_TABLES].map(
        (table) => `'${schemaOf(home)}.${table}_${homes.shard(home, table)}'`,
      );
      const locked = `select bool_and(lock_relation_if_exists(shard, 'SHARE')) from ${schemaOf(home)}.guard, unnest(array[${shards}]) shard`;
      return [
        `if not (${locked}) then raise exception using errcode = '40001', message = 'A home is elsewhere.'; end if`,
      ];
    }),
  );
  await within(query, `lock table ${tables} in share mode`);
  return within;
}

type Within = (sent: Query, text: string) => Promise<unknown>;

async function takeSnapshots({ query, homes }: Side, tables: string, within: Within): Promise<void> {
  await within(query, `lock table ${tables} in access share mode`);
  await within(
    query,
    inBlock(homes, (home) => [lockHere(home, OF_NO_ACT, 'SHARE'), look(home)]),
  );
  const [node] = await query<{ level: string }>(
    `select current_setting('transaction_isolation') as level from ${schemaOf(homes[0] ?? 0)}.guard`,
  );
  if (node?.level !== 'repeatable read') {
    throw new DatabaseRefused(
      'this version of Citus has no snapshots on workers.',
      'Update Citus to 12.1 or later, on every node.',
    );
  }
  await query('set local statement_timeout = 0');
}

/** On the coordinator only: Citus would lock the tables of this name on all nodes. */
const lockHere = (home: number, table: string, mode: string): string =>
  `perform lock_relation_if_exists('${schemaOf(home)}.${table}', '${mode}')`;

const look = (home: number): string => `perform 1 from ${schemaOf(home)}.guard`;

/** In one trip to the coordinator. */
function inBlock(homes: readonly number[], linesOf: (home: number) => string[]): string {
  const lines = homes.flatMap(linesOf).map((line) => `${line};`);
  return `do $block$ begin ${lines.join('\n')} end $block$`;
}
