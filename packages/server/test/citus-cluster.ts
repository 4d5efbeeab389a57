import pg from 'pg';
import { distribute } from '../src/storage/postgres/distributed/distribute.ts';
import { HOME_TABLES, schemaOf } from '../src/storage/postgres/distributed/homes.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.ts';

/** Enough for tests to have users in several, and few enough to create the template quickly. */
const HOMES = 3;

export type CitusCluster = {
  /** The maintenance databases: the coordinator's, then the workers'. */
  urls: string[];
  /** The name of a distributed database without users, on every node. */
  template: string;
};

/** Starts a node with the binaries of a PostgreSQL that has Citus: see CONTRIBUTING.md. */
export function startNode(bin: string, { settings = [], ...options }: PostgresOptions = {}): Promise<PostgresServer> {
  const needed = [
    'shared_preload_libraries=citus',
    'max_prepared_transactions=200',
    'citus.node_conninfo=sslmode=disable',
  ];
  return startPostgres({ ...options, bin, trust: true, settings: [...needed, ...settings] });
}

/** Starts a coordinator and two workers. */
export async function startCitus(bin: string): Promise<CitusCluster & { stop(): Promise<void> }> {
  const servers: PostgresServer[] = [];
  // A database can only be copied while nothing is connected to it.
  const settings = ['citus.stat_statements_purge_interval=-1'];
  for (let node = 0; node < 3; node++) servers.push(await startNode(bin, { settings }));
  const urls = servers.map((server) => server.url('postgres'));
  const template = 'innkeeper_distributed';
  await distribute(await createUndistributed({ urls }, template), () => {}, HOMES);
  return {
    urls,
    template,
    async stop() {
      for (const server of servers) await server.stop();
    },
  };
}

/** Copies the template on every node; Citus requires the same database name everywhere. */
export async function copyTemplate({ urls, template }: CitusCluster, name: string): Promise<string> {
  await Promise.all(
    urls.map(async (url) => {
      for (let tries = 1; ; tries++) {
        try {
          // Citus' own daemon reconnects from time to time.
          await run(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`);
          await run(url, `create database ${name} template ${template} strategy file_copy`);
          return;
        } catch (error) {
          if ((error as pg.DatabaseError).code !== '55006' || tries === 20) throw error;
        }
      }
    }),
  );
  const copy = new URL(urls[0] as string);
  copy.pathname = `/${name}`;
  return copy.href;
}

export async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

const OF_HOMES = new RegExp(`\\b(${HOME_TABLES.filter((table) => table !== 'applications').join('|')})\\b`, 'g');

/** Runs the statement on the tables of every home, if it names any of them. */
export async function executeInHomes(url: string, sql: string): Promise<void> {
  if (sql.search(OF_HOMES) === -1) {
    await run(url, sql);
    return;
  }
  for (let home = 0; home < HOMES; home++) await run(url, sql.replaceAll(OF_HOMES, `${schemaOf(home)}.$1`));
}

/** Creates a database on every node that knows its workers but is not distributed yet. */
export async function createUndistributed({ urls }: Pick<CitusCluster, 'urls'>, name: string): Promise<string> {
  const own = urls.map((url) => Object.assign(new URL(url), { pathname: `/${name}` }).href);
  for (const [node, url] of own.entries()) {
    await run(urls[node] as string, `create database ${name}`);
    await run(url, 'create extension citus');
  }
  const [coordinator, ...workers] = own.map((url) => new URL(url)) as [URL, ...URL[]];
  await run(coordinator.href, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers) await run(coordinator.href, `select citus_add_node('127.0.0.1', ${port})`);
  return coordinator.href;
}
