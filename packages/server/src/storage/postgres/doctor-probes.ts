import { messageOf } from '../../caught.ts';
import type { DatabaseCapacity, DataCheck, DataCheckOptions } from '../port.ts';
import { ConnectionPool } from './connection-pool.ts';
import { statement } from './connections.ts';
import { findHomes, type Homes, schemaOf } from './distributed/homes.ts';
import { DURABILITY_STEPS, DURABLE_SETTINGS, isForbidden } from './errors.ts';
import { alone, applyAll } from './migrations.ts';
import { Servers } from './servers.ts';
import type { Query, Transactions } from './transactions.ts';

/** Checking large indexes takes long. */
const STATEMENT_MS = 3600_000;
/** A locked table is reported instead of waited for. */
const LOCK_WAIT = "set local lock_timeout = '2s'";
const INSTALL =
  'As a superuser, in this database: create extension amcheck; grant execute on all functions in schema public to the user of Innkeeper.';

/**
 * PostgreSQL enforces references and keys itself, and its page checksums detect damage on disk. This checks what only
 * this schema knows and, with `deep`, the indexes if the server has amcheck.
 */
export async function checkData(url: string, options: DataCheckOptions): Promise<DataCheck> {
  return alone(new Servers(url), async (transactions) => {
    const homes = await transactions.run(findHomes);
    if (homes) return checkHomes(homes);
    options.onStep('tables', 0, 2);
    const missing = await transactions.run(async (query) => {
      await query(LOCK_WAIT);
      return compareSchema(query);
    }, STATEMENT_MS);
    // The tables to count may be the missing ones.
    if (missing && missing.length > 0) return { checked: 'tables', findings: missing };
    const found = await checkRows(transactions, options);
    const off = await transactions.run((query) => query<{ name: string }>(DURABLE_SETTINGS));
    if (off.length === 0 || found.skipped) return found;
    const what = `PostgreSQL can lose what was acknowledged, as it has ${off.map(({ name }) => name).join(', ')} off`;
    return { ...found, skipped: { what, remedy: DURABILITY_STEPS } };
  });
}

/** Tables of users are distributed over homes on other nodes. */
function checkHomes(homes: Homes): DataCheck {
  const findings = homes.all.flatMap((home) =>
    homes.missing(home).map((table) => `table ${schemaOf(home)}.${table} is missing`),
  );
  const what = 'indexes, users and profiles were not checked, as users are distributed';
  const remedy = 'Run amcheck on every node.';
  return { checked: `tables of ${homes.count} homes`, findings, skipped: { what, remedy } };
}

function checkRows(transactions: Transactions, { deep, onStep }: DataCheckOptions): Promise<DataCheck> {
  return transactions.run(async (query) => {
    await query('set transaction isolation level repeatable read, read only');
    await query('set local statement_timeout = 0');
    await query(LOCK_WAIT);
    const indexes = deep ? await indexesToCheck(query) : [];
    const of = 1 + (indexes?.length ?? 0);
    onStep('users and profiles', 0, of);
    const findings = await (deep ? usersWithoutProfile(query) : moreUsersThanProfiles(query));
    if (indexes === undefined) {
      const what = 'indexes were not checked: the extension amcheck is missing or not allowed to this user';
      return { checked: 'tables, users and profiles', findings, skipped: { what, remedy: INSTALL } };
    }
    for (const [done, { oid, name }] of indexes.entries()) {
      onStep(`index ${name}`, 1 + done, of);
      findings.push(...(await indexDamage(query, oid, name)));
    }
    return { checked: `tables, users and profiles${deep ? `, ${indexes.length} indexes` : ''}`, findings };
  }, STATEMENT_MS);
}

type Index = { oid: string; name: string };

/** Undefined if amcheck is not available. */
async function indexesToCheck(query: Query): Promise<Index[] | undefined> {
  const [usable] = await query<{ usable: boolean }>(`
    select count(*) > 0 as usable from pg_proc
    where proname = 'bt_index_check' and pronargs >= 2 and pg_function_is_visible(oid) and has_function_privilege(oid, 'execute')
  `);
  if (!usable?.usable) return undefined;
  return query<Index>(`
    select i.oid::text as oid, i.relname as name
    from pg_class i
      join pg_index x on x.indexrelid = i.oid
      join pg_am a on a.oid = i.relam
      join pg_class t on t.oid = x.indrelid
    where a.amname = 'btree' and x.indisvalid and t.relpersistence = 'p' and t.relnamespace = ${OUR_SCHEMA}
    order by i.relname
  `);
}

/** amcheck reports damage as an error: a savepoint lets the next index be checked. */
async function indexDamage(query: Query, oid: string, name: string): Promise<string[]> {
  await query('savepoint check_index');
  try {
    await query('select bt_index_check($1::oid::regclass, true)', [oid]);
    return [];
  } catch (error) {
    await query('rollback to savepoint check_index');
    return [`index ${name}: ${messageOf(error)}`];
  }
}

async function moreUsersThanProfiles(query: Query): Promise<string[]> {
  const [counts] = await query<{ users: string; profiles: string }>(
    'select (select count(*) from users)::text as users, (select count(*) from profiles)::text as profiles',
  );
  const { users = '0', profiles = '0' } = counts ?? {};
  return BigInt(users) > BigInt(profiles) ? [`${users} users have only ${profiles} profiles`] : [];
}

async function usersWithoutProfile(query: Query): Promise<string[]> {
  const [found] = await query<{ n: string }>(`
    select count(*)::text as n from users u where not exists (
      select from profiles p where p.app_id = u.app_id and p.client_user_id = u.client_user_id and p.user_id = u.user_id)
  `);
  return found?.n === '0' ? [] : [`${found?.n} users have no profile of their own`];
}

const OWN = 'innkeeper_as_new';

/** The schema of our tables. search_path may list another schema first. */
const OUR_SCHEMA = `coalesce(
  (select relnamespace from pg_class where oid = to_regclass('applications')), to_regnamespace(quote_ident(current_schema()))::oid)`;

// Definitions include the name of their schema, which differs.
const PARTS = `
  select 'table' as kind, c.relname::text as name, '' as definition
  from pg_class c where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p')
  union all
  select 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint', n.conname || ' of ' || c.relname, replace(pg_get_constraintdef(n.oid), quote_ident($1::text) || '.', '')
  from pg_constraint n join pg_class c on c.oid = n.conrelid where c.relnamespace = $1::text::regnamespace and n.contype <> 'n'
  union all
  select 'index', c.relname::text, replace(pg_get_indexdef(c.oid), quote_ident($1::text) || '.', '')
  from pg_class c join pg_index i on i.indexrelid = c.oid where c.relnamespace = $1::text::regnamespace and i.indisvalid
`;

type Part = { kind: string; name: string; definition: string };

/**
 * What is missing or different compared with a new database, which is created beside this one in a transaction and
 * rolled back. Undefined if the role may not do that.
 */
async function compareSchema(query: Query): Promise<string[] | undefined> {
  const [ours] = await query<{ schema: string }>(
    `select nspname::text as schema from pg_namespace where oid = ${OUR_SCHEMA}`,
  );
  const there = await partsOf(query, ours?.schema ?? 'public');
  await query('savepoint as_new');
  try {
    await query(`create schema ${OWN}`);
    await query(`set local search_path to ${OWN}`);
    await applyAll(query);
    const wanted = await partsOf(query, OWN);
    return [...wanted]
      .filter(([id]) => !isPartOfMissing(id, there))
      .flatMap(([id, part]) => differs(part, there.get(id)));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  } finally {
    await query('rollback to savepoint as_new');
  }
}

async function partsOf(query: Query, schema: string): Promise<Map<string, Part>> {
  const parts = await query<Part>(PARTS, [schema]);
  return new Map(parts.map((part) => [`${part.kind} ${part.name}`, part]));
}

/** The columns of a missing table are not reported separately. */
function isPartOfMissing(id: string, there: ReadonlyMap<string, Part>): boolean {
  const table = /^column ([^.]+)\.|^constraint .* of (.+)$/.exec(id);
  const name = table?.[1] ?? table?.[2];
  return name !== undefined && !there.has(`table ${name}`);
}

function differs({ kind, name, definition }: Part, found: Part | undefined): string[] {
  if (!found) return [`${kind} ${name} is missing`];
  return found.definition === definition ? [] : [`${kind} ${name} is "${found.definition}", not "${definition}"`];
}

const PUT = statement(`
  insert into facts (name, value) values ('doctor', $1)
  on conflict (name) do update set value = excluded.value
`);

export async function tryWrite(url: string, value: string): Promise<void> {
  const connections = new ConnectionPool(url);
  try {
    await connections.write(PUT, [value]);
  } finally {
    await connections.close();
  }
}

/** Connections reserved for superusers do not count. */
const ROOM = `
  select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most
`;

export function connectionCapacity(url: string): Promise<DatabaseCapacity> {
  return alone(new Servers(url), async (transactions) => {
    const [room] = await transactions.run((query) => query<{ used: number; most: number }>(ROOM));
    return { kind: 'connections', used: room?.used ?? 0, most: room?.most ?? 0 };
  });
}
