import {
  type Contents,
  type DatabaseDump,
  DatabaseRefused,
  type RowPages,
  type StoredRow,
  type TableShape,
} from '../port.ts';
import { findHomes } from './distributed/homes.ts';
import { sqlState } from './errors.ts';
import { alone, migrate } from './migrations.ts';
import { Servers } from './servers.ts';
import type { Query } from './transactions.ts';

/** Sorting or filling a large table takes long. */
const STATEMENT_MS = 3600_000;
const LOCK_MS = 10_000;
const PAGE = 250;

export function postgresDump(url: string): DatabaseDump {
  return {
    kind: 'postgres',
    async read(tables, use) {
      await inOneTransaction(url, refuseDistributed);
      return inOneTransaction(url, async (query) => {
        await query('set transaction isolation level repeatable read, read only');
        // Before the snapshot: otherwise a restore could truncate the tables after it.
        await query(`lock table ${listed(tables)} in access share mode`);
        return use(rowPages(query, await columnTypes(query)));
      });
    },
    contents: () => inOneTransaction(url, countContents),
    async replace(tables, rows, { onlyEmpty, check }) {
      await migrate(new Servers(url));
      return inOneTransaction(url, async (query) => {
        await refuseDistributed(query);
        try {
          await query(`lock table ${listed(tables)}, change_log, change_counter in access exclusive mode`);
        } catch (error) {
          if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'in-use';
          throw error;
        }
        const { applications, accounts } = await countContents(query);
        if (onlyEmpty && applications + accounts > 0) return 'not-empty';
        await query(`truncate table ${listed(tables)}, change_log`);
        const types = await columnTypes(query);
        for (const table of tables) {
          const insert = insertStatement(table, types);
          for await (const page of rows(table)) {
            await query(
              insert,
              table.columns.map((_, column) => page.map((row) => row[column])),
            );
          }
        }
        await check(rowPages(query, types));
        // Event numbers already used, here or where the backup was made, are not reused: some events were read and are
        // gone.
        await query(
          `select setval('events_no_seq', greatest(last_value, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
             (select max(no) from events))) from events_no_seq`,
        );
        // A version without an entry makes running processes reload everything.
        await query('update change_counter set version = version + 1');
        // Otherwise the first requests would be planned for empty tables.
        await query(`analyze ${listed(tables)}`);
        return 'replaced';
      });
    },
  };
}

const LOCK_NOT_AVAILABLE = '55P03';

async function inOneTransaction<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  return alone(new Servers(url), (transactions) =>
    transactions.run(async (query) => {
      // The operator's timeout is meant for requests.
      await query('set local statement_timeout = 0');
      await query('set local idle_in_transaction_session_timeout = 0');
      // Shown in pg_stat_activity, and in the problem `lock`.
      await query("set local application_name = 'innkeeper backup or restore'");
      await query(`set local lock_timeout = ${LOCK_MS}`);
      return work(query);
    }, STATEMENT_MS),
  );
}

async function refuseDistributed(query: Query): Promise<void> {
  if ((await findHomes(query)) === undefined) return;
  throw new DatabaseRefused(
    'the users of this database are distributed over several nodes, which backup and restore do not support.',
    "Use PostgreSQL's own means, see /guide/scaling: pg_dump of the coordinator while the service is stopped, or backups of every node at one restore point (citus_create_restore_point). `innkeeper users export` and `innkeeper catalog export` save an application to files.",
  );
}

async function countContents(query: Query): Promise<Contents> {
  const count = async (table: keyof Contents): Promise<number> => {
    const [there] = await query<{ found: boolean }>('select to_regclass($1) is not null as found', [table]);
    if (!there?.found) return 0;
    return (await query<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count ?? 0;
  };
  return { applications: await count('applications'), users: await count('users'), accounts: await count('accounts') };
}

/** PostgreSQL type names by table and column. */
type ColumnTypes = Map<string, string>;

async function columnTypes(query: Query): Promise<ColumnTypes> {
  const rows = await query<{ name: string; type: string }>(`
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, null) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where pg_table_is_visible(c.oid) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  `);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

function rowPages(query: Query, types: ColumnTypes): RowPages {
  return async function* (table) {
    const { name, columns, key } = table;
    const selected = columns.map(
      (column) => `${toStored(`t."${column}"`, typeOf(types, table, column))} as "${column}"`,
    );
    const order = key.map((column) => `t."${column}"${typeOf(types, table, column) === 'text' ? ' collate "C"' : ''}`);
    await query(`declare page_rows no scroll cursor for select ${selected} from "${name}" t order by ${order}`);
    for (;;) {
      const rows = await query<Record<string, StoredRow[number]>>(`fetch ${PAGE} from page_rows`);
      if (rows.length > 0) yield rows.map((row) => columns.map((column) => row[column] ?? null));
      if (rows.length < PAGE) break;
    }
    await query('close page_rows');
  };
}

/** One array per column, so that one statement inserts any number of rows. */
function insertStatement(table: TableShape, types: ColumnTypes): string {
  const given = table.columns.map((column) => typeOf(types, table, column));
  const arrays = given.map((type, index) => `$${index + 1}::${STORED_AS[type] ?? type}[]`);
  const values = given.map((type, index) => fromStored(`c${index}`, type));
  const columns = table.columns.map((column) => `"${column}"`);
  return `insert into "${table.name}" (${columns}) select ${values} from unnest(${arrays}) as given (${given.map((_, index) => `c${index}`)})`;
}

/** Types that differ from SQLite's. */
const STORED_AS: Record<string, string> = { uuid: 'bytea', boolean: 'integer' };

function toStored(value: string, type: string): string {
  if (type === 'uuid') return `uuid_send(${value})`;
  return type === 'boolean' ? `${value}::integer` : value;
}

function fromStored(value: string, type: string): string {
  if (type === 'uuid') return `encode(${value}, 'hex')::uuid`;
  return type === 'boolean' ? `${value}::boolean` : value;
}

function typeOf(types: ColumnTypes, table: TableShape, column: string): string {
  const type = types.get(`${table.name}.${column}`);
  if (type === undefined) throw new Error(`PostgreSQL has no column ${table.name}.${column}: the two schemas differ.`);
  return type;
}

function listed(tables: readonly TableShape[]): string {
  return tables.map(({ name }) => `"${name}"`).join(', ');
}
