import { messageOf } from '../../../caught.ts';
import { DatabaseRefused, type Distribution, type OnDistributed } from '../../port.ts';
import { GRANT_STEPS, isForbidden } from '../errors.ts';
import { alone, migrate } from '../migrations.ts';
import { Servers } from '../servers.ts';
import type { Query } from '../transactions.ts';
import { findHomes, HOME_TABLES, type Homes, isDropped, schemaOf } from './homes.ts';

/** Moves a million users with all of their data. */
const DISTRIBUTE_MS = 24 * 3600_000;
/** Allows as many workers; a home can move to another worker but not be split. */
const HOMES = 32;

const NO_CITUS =
  'Install Citus 12 or later on every node (shared_preload_libraries), run `create extension citus` in this database on each, ' +
  'add the workers on the coordinator with `select citus_add_node(host, port)`, then run this again. Without a cluster, Innkeeper needs nothing of this.';

/** Spreads users over the workers in one transaction. Everything else stays on the coordinator. */
export async function distribute(url: string, onProgress: OnDistributed, homes = HOMES): Promise<Distribution> {
  const servers = new Servers(url);
  await refuseWithoutCitus(servers);
  await migrate(servers);
  return alone(servers, (transactions) =>
    transactions.run(async (query) => {
      await query('set local statement_timeout = 0');
      await query('set local lock_timeout = 10000');
      try {
        // Waits for another run of this command.
        await query('select only_row from schema_lock for update');
        const before = await findHomes(query);
        if (before) {
          await renewFunctions(query, before);
          return { workers: await countWorkers(query), homes: before.count, moved: 0 };
        }
        await query(`lock table ${HOME_TABLES.join(', ')}, audit_log in access exclusive mode`);
        await query(RUN);
        const moved = await moveAll(query, homes, onProgress);
        return { workers: await countWorkers(query), homes, moved };
      } catch (error) {
        if (isForbidden(error)) throw new DatabaseRefused(`PostgreSQL: ${messageOf(error)}.`, GRANT_STEPS);
        throw error;
      }
    }, DISTRIBUTE_MS),
  );
}

async function refuseWithoutCitus(servers: Servers): Promise<void> {
  const refusal = await alone(servers, (transactions) =>
    transactions.run(async (query) => {
      const [there] = await query<{ version: string | null }>(
        "select max(extversion) as version from pg_extension where extname = 'citus'",
      );
      if (!there?.version) return 'this PostgreSQL does not have the extension Citus.';
      const [schemas] = await query<{ found: boolean }>(
        "select exists (select from pg_proc where proname = 'citus_schema_distribute') as found",
      );
      if (!schemas?.found) return `Citus ${there.version} cannot distribute schemas.`;
      const workers = await countWorkers(query);
      return workers === 0 ? 'the cluster has no workers.' : undefined;
    }),
  );
  if (refusal !== undefined) throw new DatabaseRefused(`${refusal} Nothing was changed.`, NO_CITUS);
}

async function countWorkers(query: Query): Promise<number> {
  const [row] = await query<{ n: number }>(
    "select count(*) as n from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards",
  );
  return row?.n ?? 0;
}

// Runs a statement on the node of a home, on the shards themselves: Citus would split a statement that writes several
// tables, and each part would see the changes of the previous ones. Two things that Citus does for its own statements
// are done here: wait while a home is being moved, and reject one that has moved, so that the act is sent again. Citus
// passes on neither constraint nor column of a rejected row, so the detail contains both.
const RUN = `
  create or replace function innkeeper_run(shard bigint, statement_name text, statement text, parameters json, patience text, lock_ms text)
  returns setof json language plpgsql as $run$
  declare
    found_row record;
    call text;
    state text;
    message text;
    constraint_of text;
    column_of text;
  begin
    perform lock_shard_metadata(5, array[shard]);
    if not exists (
      select from pg_dist_placement p join pg_dist_local_group l on l.groupid = p.groupid where p.shardid = shard
    ) then
      raise exception using errcode = '40001', message = 'The home has moved to another node.';
    end if;
    perform set_config('lock_timeout', coalesce(patience, lock_ms), true);
    -- A setting of the session says it in a microsecond; pg_prepared_statements would copy the texts of all of them.
    if current_setting('innkeeper.' || statement_name, true) is distinct from 'prepared' then
      begin
        execute format('prepare %I as %s', statement_name, statement);
      exception when duplicate_prepared_statement then
        -- The setting was undone with a transaction, the statement was not.
        null;
      end;
      perform set_config('innkeeper.' || statement_name, 'prepared', false);
    end if;
    select format('execute %I%s', statement_name, '(' || string_agg(quote_nullable(g.given), ', ' order by g.no) || ')') into call
    from (
      select value as given, ordinality as no from json_array_elements_text(parameters) with ordinality
      union all
      select patience, 1000 where patience is not null
    ) g;
    for found_row in execute call loop
      return next row_to_json(found_row);
    end loop;
  exception
    when invalid_cursor_definition then
      -- A statement without rows.
      execute call;
    when integrity_constraint_violation then
      get stacked diagnostics state = returned_sqlstate, message = message_text, constraint_of = constraint_name, column_of = column_name;
      raise exception using errcode = state, message = message, detail = format('constraint=%s column=%s', constraint_of, column_of);
  end
  $run$
`;

const homeOfUuid = (column: string): string => `('x' || substr(${column}::text, 16, 3))::bit(12)::integer`;
const HOME_OF_NAME = `('x' || left(encode(sha256(convert_to(app_id || ' ' || client_user_id, 'UTF8')), 'hex'), 3))::bit(12)::integer`;

/** The rows of a table that belong to a home, before distribution. */
function rowsOf(table: (typeof HOME_TABLES)[number], home: number, homes: number): string {
  const at = (number: string): string => `${number} % ${homes} = ${home}`;
  const isReal = `exists (select from users u where u.user_id = t.user_id and u.app_id = t.app_id and u.client_user_id = t.client_user_id)`;
  switch (table) {
    case 'webhook_responses':
      return 'select t.* from webhook_responses t where false';
    case 'applications':
      return 'select t.* from applications t';
    case 'event_floors':
      return 'select t.* from event_floors t';
    case 'profiles':
      // The home of its name, and the home of its user.
      return `select t.* from profiles t where ${at(HOME_OF_NAME)} or (${at(homeOfUuid('t.user_id'))} and ${isReal})`;
    case 'trial_users':
      return `select t.* from trial_users t where ${at(HOME_OF_NAME)}`;
    case 'deleted_users':
      // The home cannot be derived from a hash: stored in every home.
      return 'select t.* from deleted_users t';
    case 'request_log':
      return `select t.* from request_log t where ${at(`coalesce(${homeOfUuid('t.user_id')}, 0)`)}`;
    case 'events':
      return `select t.* from events t where ${at(`coalesce(${homeOfUuid('t.user_id')}, t.app_id)`)}`;
    default:
      return `select t.* from ${table} t where ${at(homeOfUuid('t.user_id'))}`;
  }
}

async function moveAll(query: Query, homes: number, onProgress: OnDistributed): Promise<number> {
  const [{ schema = 'public' } = {}] = await query<{ schema: string }>(
    "select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'users'::regclass",
  );
  const [{ n: users = 0 } = {}] = await query<{ n: number }>('select count(*) as n from users');
  const [{ no = 0 } = {}] = await query<{ no: number }>('select last_value as no from events_no_seq');
  onProgress(0, users);
  let done = 0;
  for (let home = 0; home < homes; home++) {
    await makeHome(query, { home, homes }, schema, no);
    for (const table of HOME_TABLES) {
      await query(`insert into ${schemaOf(home)}.${table} ${rowsOf(table, home, homes)}`);
    }
    const [{ n = 0 } = {}] = await query<{ n: number }>(`select count(*) as n from ${schemaOf(home)}.users`);
    done += n;
    onProgress(done, users);
  }
  if (done !== users) throw new Error(`${users} users became ${done}.`);
  await query(`drop table ${HOME_TABLES.filter(isDropped).toReversed().join(', ')} cascade`);
  await query('delete from events');
  return users;
}

/** They contain shard numbers, which change after a restore with PostgreSQL's own tools. */
async function renewFunctions(query: Query, homes: Homes): Promise<void> {
  await query('set local check_function_bodies = off');
  await query(RUN);
  for (const home of homes.all) await makeEventNumbers(query, home, homes.count);
}

async function makeCounter(query: Query, home: number, homes: number, no: number): Promise<void> {
  const schema = schemaOf(home);
  await query(
    `create table ${schema}.event_counter (only_row integer primary key, no bigint not null, last_no bigint not null)`,
  );
  await query(`insert into ${schema}.event_counter values (1, ${no}, ${no})`);
  await makeEventNumbers(query, home, homes);
}

/**
 * A node's clock keeps numbers ordered across homes; within a home, the row does, which is locked until the act
 * commits. A number modulo the number of homes is its home, so that no number occurs twice.
 */
async function makeEventNumbers(query: Query, home: number, homes: number): Promise<void> {
  const schema = schemaOf(home);
  const [shard] = await query<{ id: string }>(
    'select shardid::text as id from pg_dist_shard where logicalrelid = $1::text::regclass',
    [`${schema}.event_counter`],
  );
  await query(`
    create or replace function ${schema}.innkeeper_event_no() returns bigint language sql volatile as $no$
      update ${schema}.event_counter_${shard?.id} as event_counter
      set (no, last_no) = (
        select n.no + m.more, n.no + m.more
        from (select greatest(event_counter.no + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as no) n,
          lateral (select ((${home} - n.no) % ${homes} + ${homes}) % ${homes} as more) m
      )
      where only_row = 1 returning no
    $no$
  `);
}

/** The same tables with the same keys and references. */
async function makeHome(
  query: Query,
  { home, homes }: { home: number; homes: number },
  from: string,
  no: number,
): Promise<void> {
  const schema = schemaOf(home);
  await query(`create schema ${schema}`);
  await query(`select citus_schema_distribute('${schema}')`);
  await query(`create table ${schema}.guard (only_row integer primary key)`);
  await query(`insert into ${schema}.guard values (1)`);
  await query('set local check_function_bodies = off');
  await makeCounter(query, home, homes, no);
  await query(`
    create table ${schema}.key_claims (
      app_id bigint not null, key_hash bytea not null, body_hash bytea not null, user_id uuid not null, expires_at bigint not null,
      primary key (app_id, key_hash)
    )
  `);
  const constraints = await query<{ table: string; name: string; kind: string; text: string }>(
    `select c.relname as table, n.conname as name, n.contype as kind, pg_get_constraintdef(n.oid) as text
     from pg_constraint n join pg_class c on c.oid = n.conrelid
     where c.relnamespace = $1::text::regnamespace and n.contype in ('p', 'u', 'f') and c.relname = any ($2::text[])`,
    [from, [...HOME_TABLES]],
  );
  const indexes = await query<{ text: string }>(
    `select pg_get_indexdef(i.indexrelid) as text from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = $1::text::regnamespace and c.relname = any ($2::text[])
       and not exists (select from pg_constraint n where n.conindid = i.indexrelid and n.contype in ('p', 'u'))`,
    [from, [...HOME_TABLES]],
  );
  for (const table of HOME_TABLES) {
    await query(`create table ${schema}.${table} (like ${from}.${table} including defaults)`);
  }
  await query(`alter table ${schema}.events alter no set default ${schema}.innkeeper_event_no()`);
  for (const kind of ['p', 'u', 'f']) {
    for (const { table, name, text } of constraints.filter((each) => each.kind === kind)) {
      if (text.includes('webhook_deliveries')) continue;
      const here = text.replace(/REFERENCES (?:\w+\.)?(\w+)/, `REFERENCES ${schema}.$1`);
      await query(`alter table ${schema}.${table} add constraint ${name} ${here}`);
    }
  }
  await query(
    `alter table ${schema}.key_claims add constraint key_claims_application foreign key (app_id) references ${schema}.applications (app_id) on delete cascade`,
  );
  for (const { text } of indexes) await query(text.replace(/ ON (?:\w+\.)?(\w+)/, ` ON ${schema}.$1`));
}
