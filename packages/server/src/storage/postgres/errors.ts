import pg from 'pg';
import { codeOf, messageOf } from '../../caught.ts';
import { type Problem, StorageUnavailable } from '../port.ts';
import { Overdue } from './deadline.ts';

/** SQLSTATE, if the server reported the error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The constraint that rejected a row, by its name in migrations.ts. */
export function violation(error: unknown): { kind: 'foreign-key' | 'unique'; constraint: string } | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  if (error.code === '23503') return { kind: 'foreign-key', constraint: error.constraint ?? onNode(error).constraint };
  if (error.code === '23505') return { kind: 'unique', constraint: error.constraint ?? onNode(error).constraint };
  return undefined;
}

/** On a home's node, constraint names end with the number of their shard: see RUN in distributed/distribute.ts. */
function onNode({ detail }: pg.DatabaseError): { constraint: string; column: string } {
  const [, constraint = '', column = ''] = /^constraint=(\w*?)(?:_\d+)? column=(\w*)$/.exec(detail ?? '') ?? [];
  return { constraint, column };
}

const refusedColumn = (error: pg.DatabaseError): string => error.column ?? onNode(error).column;

/**
 * Serialization failure or deadlock: nothing happened, and a retry may succeed. The same applies when a save meets a
 * selection inserted after it started (selections.ts).
 */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === '40001' ||
    state === '40P01' ||
    (state === '23502' && refusedColumn(error as pg.DatabaseError) === 'last_event')
  );
}

/**
 * A pooler gave us a server connection that does not know the statement, or the statement's plan no longer fits the
 * schema. The act was rejected before it began.
 */
export function isAboutPreparedStatement(error: unknown): boolean {
  const state = sqlState(error);
  if (state === '26000' || state === '42P05') return true;
  return (state === '08P01' || state === '0A000') && /prepared statement|cached plan/i.test(messageOf(error));
}

/** The address has become a standby: another one accepts writes now. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/** A table, column or function is missing, or the role may not use it: the database is wrong, not the act. */
export function isSchemaFault(error: unknown): boolean {
  return /^(42P01|42703|42883|3F000|42501)$/.test(sqlState(error) ?? '');
}

/** insufficient_privilege */
export function isForbidden(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** A row stayed locked for longer than the lock timeout. */
export function isUnderLock(error: unknown): boolean {
  return sqlState(error instanceof StorageUnavailable ? error.cause : error) === '55P03';
}

/** Cancelled by the server's timeout or ours. */
export function isCancelled(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** disk_full, io_error: reads may still work. */
export function isUnwritable(error: unknown): boolean {
  return /^(53100|58030)$/.test(sqlState(error) ?? '');
}

/** The connection was lost before the act was sent. */
export function wasNotSent(error: unknown): boolean {
  return sqlState(error) === undefined && error instanceof Error && error.message.endsWith('is not queryable');
}

/** admin_shutdown: pg_terminate_backend, or the server is shutting down. */
export function isEndedByServer(error: unknown): boolean {
  return sqlState(error) === '57P01';
}

/** The connection was lost during the act: its outcome is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state.startsWith('08') || /^57P0[123]$/.test(state);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined) return /^E[A-Z]+$/.test(code);
  // Errors from pg itself have no code.
  return /^Connection terminated|not queryable|SSL connection|^Connection ended/.test(error.message);
}

/** PostgreSQL ends its connection after FATAL. After ERROR it was lost elsewhere: that of a coordinator to a worker. */
export function isOwnConnectionLost(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof pg.DatabaseError && error.severity === 'ERROR');
}

/** What the caller got after an act that may have been committed. */
export function isOutcomeUnknown(error: unknown): boolean {
  const { cause } = error as Error;
  return (isConnectionLost(cause) && !wasNotSent(cause)) || isTimeout(cause);
}

// 25006: a standby, or a primary that has become one. 53: out of disk, memory or connections. 55P03 and 57014: timed
// out. 58: the server's disk fails.
const UNAVAILABLE = /^(08|25006|25P0|53|55P03|57|58)/;

/** The error for the caller: StorageUnavailable if a retry can help, otherwise the defect itself. */
export function toPortError(error: unknown): Error {
  if (error instanceof StorageUnavailable) return error;
  const state = sqlState(error);
  const unavailable =
    state === undefined
      ? isConnectionLost(error) || isTimeout(error)
      : UNAVAILABLE.test(state) || isConflict(error) || isSchemaFault(error);
  if (unavailable) return new StorageUnavailable(`PostgreSQL: ${messageOf(error)}`, { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Overdue;
}

/** Set when the server rejects a write, cleared when it accepts one. */
export const READ_ONLY_PROBLEM: Problem = {
  kind: 'read-only',
  message:
    'Writes fail because PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. Point INNKEEPER_DATABASE_URL to the primary (several hosts can be listed), or switch the setting off. Writes resume by themselves.',
  effect: 'read-only',
};

export const GRANT_STEPS =
  'Let the role of INNKEEPER_DATABASE_URL own the tables, or as their owner: grant usage, create on schema public to ROLE; grant all on all tables in schema public to ROLE; grant all on all sequences in schema public to ROLE.';
const MISSING_STEPS =
  'Create a new database, restore the last backup into it (innkeeper restore FILE), and set INNKEEPER_DATABASE_URL to it. `innkeeper doctor` lists what is missing.';

export function describeSchemaFault(error: unknown): Problem {
  const steps = isForbidden(error) ? GRANT_STEPS : MISSING_STEPS;
  return {
    kind: 'schema',
    message: `Requests fail: ${messageOf(error)} in PostgreSQL. ${steps}`,
    effect: 'down',
  };
}

/** With these off, acknowledged writes can be lost if the server crashes. */
export const DURABILITY_STEPS =
  'Switch them on in postgresql.conf, or with `alter database`, `alter role` … reset, and restart the service.';
export const DURABLE_SETTINGS = `
  select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name
`;

export const LOSSY_PROBLEM: Problem = {
  kind: 'durability',
  message: `PostgreSQL has synchronous_commit off, so acknowledged changes can be lost when its server crashes. ${DURABILITY_STEPS}`,
  effect: 'none',
};

/** Several addresses accept writes, for example after an old primary came back. */
export function describeSplit(addresses: readonly string[]): Problem {
  const message = `Several addresses of INNKEEPER_DATABASE_URL accept writes: ${addresses.join(' and ')}. Unless they are nodes of one cluster, replicas can write to different databases. Stop the old primary, or make it a standby, before anything restarts.`;
  return { kind: 'addresses', message, effect: 'none' };
}
