import { createHash } from 'node:crypto';
import type pg from 'pg';
import { LOCK_MS } from './servers.ts';
import { boundStatements, type Query, type QueryFor } from './transactions.ts';

/** Prepared under a name derived from its text, so that a pooler shared by two versions never runs the wrong one. */
export type Statement = { name: string; text: string };

/**
 * Runs many acts at once. `together` skips an act whose user is locked and returns a row with `locked` for it; `alone`
 * waits for the lock.
 */
export type SharedStatement = { together: Statement; alone: Statement };

export type SharedRow = { no: number; locked?: boolean };

export function statement(text: string): Statement {
  return { name: `ik_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`, text };
}

/** A batch statement that skips no one. */
export function waitingStatement(text: string): SharedStatement {
  const waiting = statement(text);
  return { together: waiting, alone: waiting };
}

/**
 * What the stores need: acts on connections of their own (connection-pool.ts), or inside one transaction
 * (inTransaction).
 */
export interface Connections {
  /** A read is repeated if its connection is lost. */
  read<Row extends pg.QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]>;
  /** A complete act in one statement with its own commit: a rare act, or one that never waits for a lock. */
  write<Row extends pg.QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]>;
  /**
   * For acts that may wait for rows locked by others, named by `keys`: they delay only acts with the same keys. The
   * last parameter, the lock timeout (statement-batcher.ts), is added here.
   */
  writeInTurn<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[], keys: string[]): Promise<Row[]>;
  /** For the busiest acts: one statement runs many of them, and this returns the rows of one. */
  writeWithOthers<Row extends SharedRow>(statement: SharedStatement, act: object, keys: string[]): Promise<Row[]>;
  /**
   * `work` may run several times, each time in a new transaction. Without `statementMs` it waits for locks only
   * briefly, and releases its connection before it starts again. An abort cancels its statement and rolls back.
   */
  transaction<T>(work: (query: Query) => Promise<T>, statementMs?: number, signal?: AbortSignal): Promise<T>;
}

/** Acts inside one transaction. A failed act is rolled back on its own, as it would be outside; the others stay. */
export function inTransaction(query: Query, queryFor: QueryFor, lockMs = LOCK_MS): Connections {
  const undoable = async <T>(act: () => Promise<T>): Promise<T> => {
    await query('savepoint act');
    try {
      const result = await act();
      await query('release savepoint act');
      return result;
    } catch (error) {
      // A lost connection has rolled back everything.
      await query('rollback to savepoint act').catch(() => {});
      throw error;
    }
  };
  return {
    read: ({ text }, values) => query(text, values),
    write: ({ text }, values) => undoable(() => query(text, values)),
    writeInTurn: ({ text }, values) => undoable(() => query(text, [...values, String(lockMs)])),
    writeWithOthers: ({ alone }, act) =>
      undoable(() => query(alone.text, [`[${JSON.stringify(act)}]`, String(lockMs)])),
    transaction: (work, statementMs) =>
      undoable(async () => {
        if (statementMs === undefined) return work(query);
        await query(boundStatements(statementMs));
        return work(queryFor(statementMs));
      }),
  };
}
