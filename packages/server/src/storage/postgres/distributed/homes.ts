import { homeOfName, homeOfUuid } from '../../../uuid.ts';
import { type Statement, statement } from '../connections.ts';
import type { Query } from '../transactions.ts';

/**
 * The tables with users' data, each after those it refers to. `applications` is a copy for the foreign keys and
 * statements of a home. `webhook_responses` is empty: responses are stored with the deliveries.
 */
export const HOME_TABLES = [
  'applications',
  'users',
  'profiles',
  'special_tokens',
  'access_tokens',
  'idempotency_keys',
  'selections',
  'selection_events',
  'user_changes',
  'events',
  'event_floors',
  'deleted_users',
  'trial_users',
  'request_log',
  'webhook_responses',
] as const;

/** Tables of homes that the coordinator has as well. */
const SHARED_TABLES: readonly string[] = ['applications', 'events', 'event_floors', 'webhook_responses'];

/** Whether only homes have a table of users. */
export const isDropped = (table: string): boolean =>
  (HOME_TABLES as readonly string[]).includes(table) && !SHARED_TABLES.includes(table);

/** Tables that only homes have; see distribute.ts. */
export const OWN_TABLES = ['event_counter', 'key_claims'];

export const schemaOf = (home: number): string => `innkeeper_home_${home}`;

// A table and the word after it: an alias, unless it is one of these.
const TABLE = new RegExp(
  `(\\b(?:from|join|into|update|using)|,)(\\s+)(${[...HOME_TABLES, ...OWN_TABLES].join('|')})\\b(?!\\.)(?=\\s*([\\w(]*))`,
  'g',
);
const NO_ALIAS =
  /^(?:\(.*|where|set|on|order|limit|group|for|left|join|cross|using|values|select|union|returning|and|)$/;

/** The homes that users are spread over. Each is a schema that Citus keeps on one node, with one shard per table. */
export class Homes {
  readonly count: number;
  readonly #shards: ReadonlyMap<string, string>;
  readonly #texts = new Map<string, Statement>();

  constructor(count: number, shards: ReadonlyMap<string, string>) {
    this.count = count;
    this.#shards = shards;
  }

  get all(): number[] {
    return Array.from({ length: this.count }, (_, home) => home);
  }

  /** For something that is not an id, any home: none contains it. */
  ofNumber(number: number): number {
    return number % this.count || 0;
  }

  ofUser(userId: string): number {
    return this.ofNumber(homeOfUuid(userId));
  }

  ofName(appId: number, clientUserId: string): number {
    return this.ofNumber(homeOfName(appId, clientUserId));
  }

  missing(home: number): string[] {
    return [...HOME_TABLES, ...OWN_TABLES].filter((table) => !this.#shards.has(`${schemaOf(home)}.${table}`));
  }

  shard(home: number, table: string): string {
    const id = this.#shards.get(`${schemaOf(home)}.${table}`);
    if (id === undefined) throw new Error(`${schemaOf(home)} has no table ${table}.`);
    return id;
  }

  /** A statement for the shards on the home's node, where it has its usual meaning. */
  localised(home: number, text: string): Statement {
    const key = `${home} ${text}`;
    const known = this.#texts.get(key);
    if (known) return known;
    const local = statement(
      text.replace(TABLE, (_, before: string, blank: string, table: string, next: string) => {
        const alias = NO_ALIAS.test(next) ? ` as ${table}` : '';
        return `${before}${blank}${schemaOf(home)}.${table}_${this.shard(home, table)}${alias}`;
      }),
    );
    this.#texts.set(key, local);
    return local;
  }
}

/** Undefined if the database is not distributed. */
export async function findHomes(query: Query): Promise<Homes | undefined> {
  const [found] = await query<{ found: boolean }>(`select to_regclass('${schemaOf(0)}.guard') is not null as found`);
  if (!found?.found) return undefined;
  const rows = await query<{ name: string; id: string }>(
    `select n.nspname || '.' || c.relname as name, s.shardid::text as id from pg_dist_shard s
       join pg_class c on c.oid = s.logicalrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname like 'innkeeper\\_home\\_%'`,
  );
  const shards = new Map(rows.map(({ name, id }) => [name, id]));
  return new Homes([...shards.keys()].filter((name) => name.endsWith('.guard')).length, shards);
}

/** By bytes, like PostgreSQL's collation "C" and its uuid type. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The first `limit` items of several sorted pages. */
export function mergePages<T>(pages: readonly (readonly T[])[], limit: number, order: (a: T, b: T) => number): T[] {
  return pages.flat().sort(order).slice(0, limit);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
