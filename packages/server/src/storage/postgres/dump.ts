import type { Contents, DatabaseDump, TableShape } from '../port.ts';
import { CLOSE_GATE, lockHomes, readConsistently } from './distributed/consistent-snapshot.ts';
import { countDistributedUsers, distributedRowPages, HomeWriter, isInHomes } from './distributed/dump.ts';
import { findHomes, isDropped, schemaOf } from './distributed/homes.ts';
import { Sides, sideBySide } from './distributed/sides.ts';
import { sqlState } from './errors.ts';
import { alone, migrate } from './migrations.ts';
import { Servers } from './servers.ts';
import { asArrays, columnTypes, insertStatement, rowPages } from './stored-rows.ts';
import type { Query, Transactions } from './transactions.ts';

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
        return readConsistently(
          transactions,
          { homes, tables: shared, statementMs: STATEMENT_MS, prepare },
          async (sides) => {
            const query = sides.of(0);
            return use(distributedRowPages(query, sides, await columnTypes(query, schemaOf(0))));
          },
        );
      }),
    contents: () => inOneTransaction(url, countContents),
    async replace(tables, rows, { onlyEmpty, check }) {
      await migrate(new Servers(url));
      const replaceAll = async (query: Query, sides?: Sides): Promise<'replaced' | 'not-empty'> => {
        const here = listed(sides ? tables.filter(({ name }) => !isDropped(name)) : tables);
        await sides?.each((side) => lockHomes(side.query, side.homes));
        await query(`lock table ${here}, change_log, change_counter in access exclusive mode`);
        if (onlyEmpty && (await count(query, 'applications')) + (await count(query, 'accounts')) > 0)
          return 'not-empty';
        await query(`truncate table ${here}, change_log`);
        const types = await columnTypes(query, schemaOf(0));
        const writer = sides && new HomeWriter(sides, types);
        await writer?.empty();
        for (const table of tables) {
          if (writer && isInHomes(table)) continue;
          const insert = insertStatement(table, types);
          for await (const page of rows(table)) await query(insert, asArrays(table, page));
        }
        await writer?.write(tables, rows);
        await check(sides ? distributedRowPages(query, sides, types) : rowPages(query, types));
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
      };
      try {
        return await inOneTransaction(url, async (query, transactions) => {
          const homes = await findHomes(query);
          if (!homes) return replaceAll(query);
          await query(CLOSE_GATE);
          if (!onlyEmpty) return replaceAll(query, new Sides(homes, [query]));
          // Homes commit first. Without its application, nobody sees a user, and the next restore deletes them.
          return sideBySide(transactions, STATEMENT_MS, async (queries) => {
            const sides = new Sides(homes, queries);
            await sides.each((side) => prepare(side.query));
            return replaceAll(query, sides);
          });
        });
      } catch (error) {
        if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'in-use';
        throw error;
      }
    },
  };
}

const LOCK_NOT_AVAILABLE = '55P03';

async function inOneTransaction<T>(
  url: string,
  work: (query: Query, transactions: Transactions) => Promise<T>,
): Promise<T> {
  return alone(new Servers(url), (transactions) =>
    transactions.run(async (query) => {
      await prepare(query);
      return work(query, transactions);
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
  const homes = await findHomes(query);
  return {
    applications: await count(query, 'applications'),
    users: homes ? await countDistributedUsers(query, homes) : await count(query, 'users'),
    accounts: await count(query, 'accounts'),
  };
}

async function count(query: Query, table: keyof Contents): Promise<number> {
  const [there] = await query<{ found: boolean }>('select to_regclass($1) is not null as found', [table]);
  if (!there?.found) return 0;
  return (await query<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count ?? 0;
}

function listed(tables: readonly TableShape[]): string {
  return tables.map(({ name }) => `"${name}"`).join(', ');
}
