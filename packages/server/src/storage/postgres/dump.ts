import type { Contents, DatabaseDump, TableShape } from '../port.ts';
import { countDistributedUsers, distributedRowPages, HomeWriter, isInHomes } from './distributed/dump.ts';
import { findHomes, isDropped, schemaOf } from './distributed/homes.ts';
import { lockHomes, readAtOneMoment } from './distributed/moment.ts';
import { sqlState } from './errors.ts';
import { alone, migrate } from './migrations.ts';
import { Servers } from './servers.ts';
import { asArrays, columnTypes, insertStatement, rowPages } from './stored-rows.ts';
import type { Query } from './transactions.ts';

/** Sorting or filling a large table takes long. */
const STATEMENT_MS = 3600_000;
const LOCK_MS = 10_000;

export function postgresDump(url: string): DatabaseDump {
  return {
    kind: 'postgres',
    read: (tables, use) =>
      alone(new Servers(url), async (transactions) => {
        const homes = await transactions.run(findHomes);
        if (!homes) {
          return transactions.run(async (query) => {
            await prepare(query);
            await query('set transaction isolation level repeatable read, read only');
            // Before the snapshot: otherwise a restore could truncate the tables after it.
            await query(`lock table ${listed(tables)} in access share mode`);
            return use(rowPages(query, await columnTypes(query)));
          }, STATEMENT_MS);
        }
        const shared = listed(tables.filter((table) => !isInHomes(table)));
        return readAtOneMoment(
          transactions,
          { homes, tables: shared, statementMs: STATEMENT_MS, prepare },
          async (query) => use(distributedRowPages(query, homes, await columnTypes(query, schemaOf(0)))),
        );
      }),
    contents: () => inOneTransaction(url, countContents),
    async replace(tables, rows, { onlyEmpty, check }) {
      await migrate(new Servers(url));
      return inOneTransaction(url, async (query) => {
        const homes = await findHomes(query);
        const here = listed(homes ? tables.filter(({ name }) => !isDropped(name)) : tables);
        try {
          if (homes) await lockHomes(query, homes);
          await query(`lock table ${here}, change_log, change_counter in access exclusive mode`);
        } catch (error) {
          if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'in-use';
          throw error;
        }
        const { applications, accounts } = await countContents(query);
        if (onlyEmpty && applications + accounts > 0) return 'not-empty';
        await query(`truncate table ${here}, change_log`);
        const types = await columnTypes(query, schemaOf(0));
        const writer = homes && new HomeWriter(query, homes, types);
        await writer?.empty();
        for (const table of tables) {
          if (writer && isInHomes(table)) continue;
          const insert = insertStatement(table, types);
          for await (const page of rows(table)) await query(insert, asArrays(table, page));
        }
        await writer?.write(tables, rows);
        await check(homes ? distributedRowPages(query, homes, types) : rowPages(query, types));
        // Event numbers already used, here or where the backup was made, are not reused: some events were read and are
        // gone.
        await query(
          `select setval('events_no_seq', greatest(last_value, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
             (select max(no) from events))) from events_no_seq`,
        );
        // A version without an entry makes running processes reload everything.
        await query('update change_counter set version = version + 1');
        // Otherwise the first requests would be planned for empty tables.
        await query(`analyze ${here}`);
        await writer?.finish();
        return 'replaced';
      });
    },
  };
}

const LOCK_NOT_AVAILABLE = '55P03';

async function inOneTransaction<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  return alone(new Servers(url), (transactions) =>
    transactions.run(async (query) => {
      await prepare(query);
      return work(query);
    }, STATEMENT_MS),
  );
}

async function prepare(query: Query): Promise<void> {
  // Shown in pg_stat_activity, and in the problem `lock`.
  await query("set local application_name = 'innkeeper backup or restore'");
  // Has a meaning on a cluster only: what follows is set on its workers as well.
  await query("set local citus.propagate_set_commands = 'local'");
  // The operator's timeout is meant for requests.
  await query('set local statement_timeout = 0');
  await query('set local idle_in_transaction_session_timeout = 0');
  await query(`set local lock_timeout = ${LOCK_MS}`);
}

async function countContents(query: Query): Promise<Contents> {
  const count = async (table: keyof Contents): Promise<number> => {
    const [there] = await query<{ found: boolean }>('select to_regclass($1) is not null as found', [table]);
    if (!there?.found) return 0;
    return (await query<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count ?? 0;
  };
  const homes = await findHomes(query);
  return {
    applications: await count('applications'),
    users: homes ? await countDistributedUsers(query, homes) : await count('users'),
    accounts: await count('accounts'),
  };
}

function listed(tables: readonly TableShape[]): string {
  return tables.map(({ name }) => `"${name}"`).join(', ');
}
