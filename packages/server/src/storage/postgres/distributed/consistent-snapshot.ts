import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseRefused } from '../../port.ts';
import { isCancelled, isConflict, isUnderLock } from '../errors.ts';
import type { Query, Transactions } from '../transactions.ts';
import { HOME_TABLES, type Homes, OWN_TABLES, schemaOf } from './homes.ts';
import { type Side, Sides, sideBySide } from './sides.ts';

/** Every act reads this table on the coordinator; see home-connections.ts. */
const READ_BY_ACTS = 'guard';
/** No act uses this one there, nor is it analysed; a move locks all tables of its home on the coordinator. */
const UNUSED_BY_ACTS = 'webhook_responses';

/**
 * The first statement of each transaction that may write on several nodes. A snapshot closes this gate before it locks
 * tables: a writer that has locked one of two homes would otherwise wait for the snapshot, and the snapshot for it.
 */
export const ENTER_GATE = 'lock table schema_lock in row share mode';
export const CLOSE_GATE = 'lock table schema_lock in exclusive mode';

/** How long writers may be blocked: shorter than the lock timeout of an act. */
const HOLD_MS = 2_000;
/** In case this process hangs. */
const IDLE_MS = 3_000;
const DEADLINE_MS = 120_000;

/** Keeps acts, backups and moves out of all homes until the transaction ends. */
export async function lockHomes(query: Query, homes: readonly number[]): Promise<void> {
  await query(
    inBlock(homes, (home) => [UNUSED_BY_ACTS, READ_BY_ACTS].map((table) => lockHere(home, table, 'ACCESS EXCLUSIVE'))),
  );
}

export type SnapshotOptions = {
  homes: Homes;
  /** Tables of the coordinator that are read. */
  tables: string;
  statementMs: number;
  deadlineMs?: number;
  /** Settings of the transactions. */
  prepare(query: Query): Promise<unknown>;
};

/**
 * Reads a consistent snapshot of all nodes, which Citus cannot do by itself: a transaction has its own snapshot on each
 * node. So one transaction blocks all writers until another has its snapshots, which takes milliseconds. A writer
 * releases its lock on a table when it has committed on that node, also in the second phase, so a snapshot sees each act
 * completely or not at all.
 */
export async function readConsistently<T>(
  transactions: Transactions,
  { homes, tables, statementMs, prepare, deadlineMs = DEADLINE_MS }: SnapshotOptions,
  read: (sides: Sides) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (let pause = 500; ; pause *= 2) {
    let hasSnapshots = false;
    try {
      // The next transactions have the same connections, with which Citus keeps its connections to the nodes: opening
      // them takes longer than all that writers wait for.
      await sideBySide(transactions, statementMs, (queries) =>
        new Sides(homes, queries).each((side) => side.query(inBlock(side.homes, (home) => [readGuard(home)]))),
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
        hasSnapshots = true;
        return read(sides);
      });
    } catch (error) {
      if (hasSnapshots || !(isUnderLock(error) || isCancelled(error) || isConflict(error))) throw error;
      if (performance.now() + pause > deadline) {
        throw new DatabaseRefused(
          `no consistent snapshot within ${deadlineMs / 1000} seconds: a long write is running, or a home is being moved to another worker.`,
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
  await query(inBlock(homes.all, (home) => [lockHere(home, UNUSED_BY_ACTS, 'SHARE'), readGuard(home)]));
  const until = performance.now() + HOLD_MS;
  const within: Within = async (sent, text) => {
    // By itself: Citus sends a text that sets something to workers as a whole.
    await sent(`set local statement_timeout = ${Math.max(1, Math.ceil(until - performance.now()))}`);
    await sent(text);
  };
  await query(`set local idle_in_transaction_session_timeout = ${IDLE_MS}`);
  await within(query, CLOSE_GATE);
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
    inBlock(homes, (home) => [lockHere(home, UNUSED_BY_ACTS, 'SHARE'), readGuard(home)]),
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

const readGuard = (home: number): string => `perform 1 from ${schemaOf(home)}.guard`;

/** In one trip to the coordinator. */
function inBlock(homes: readonly number[], linesOf: (home: number) => string[]): string {
  const lines = homes.flatMap(linesOf).map((line) => `${line};`);
  return `do $block$ begin ${lines.join('\n')} end $block$`;
}
