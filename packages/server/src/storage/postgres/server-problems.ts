import { messageOf } from '../../caught.ts';
import type { Problem } from '../port.ts';
import { isForbidden } from './errors.ts';

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
  const message = `Several addresses of INNKEEPER_DATABASE_URL take writes: ${addresses.join(' and ')}. Unless they are nodes of one cluster, replicas can write to different databases. Stop the old primary, or make it a standby, before anything restarts.`;
  return { kind: 'addresses', message, effect: 'none' };
}
