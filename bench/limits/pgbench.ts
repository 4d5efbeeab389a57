import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Contestant } from '../compare.ts';
import { hashOfNumber, nameOf, statementOf, uuidOf } from './pg-statements.ts';
import { type Place, STORED_OPERATIONS } from './storage-acts.ts';

/** Where Debian and others install it: the npm package of PostgreSQL does not include it. */
const FOLDERS = '/usr/lib/postgresql';
const FIRST_RATE = 1_000;
/** Ranges of user numbers: each run has its own, and each client its own within the run. */
const A_RUN = 100_000_000;
const A_CLIENT = 1_000_000;
let runs = 0;

/** Its path, from the newest installed version. */
export async function findPgbench(): Promise<string | undefined> {
  for (const version of (await readdir(FOLDERS).catch(() => [])).toSorted((a, b) => Number(b) - Number(a))) {
    const path = join(FOLDERS, version, 'bin/pgbench');
    const runs = await promisify(execFile)(path, ['--version']).catch(() => undefined);
    if (runs) return path;
  }
  return undefined;
}

/** The limit on PostgreSQL: the service's own statements, over as many connections, on its own database. */
export async function pgbenchLimit(
  pgbench: string,
  operation: string,
  databaseUrl: string,
  folder: string,
): Promise<Contestant[]> {
  if (!STORED_OPERATIONS.includes(operation)) return [];
  const [place] = await query<Place>(
    databaseUrl,
    'select app_id::int as "appId", key_no as "keyNo", revision from selections limit 1',
  );
  if (!place) throw new Error('pgbench: the database is empty');
  const script = join(folder, `pgbench-${operation}.sql`);
  const lines = [
    '\\set i :i + 1',
    `\\set n :base + :client_id * ${A_CLIENT} + :i`,
    `${await statementOf(operation, place)};`,
  ];
  await writeFile(script, `${lines.join('\n')}\n`);

  let best = FIRST_RATE;
  return [
    {
      name: 'pgbench',
      async run(seconds) {
        const clients = await countConnections(databaseUrl);
        const each = Math.ceil((best * seconds) / clients);
        const base = ++runs * A_RUN;
        if (operation !== 'create-user') await addUsers(databaseUrl, place, { base, clients, each });
        const { hostname, port, username, password, pathname } = new URL(databaseUrl);
        const { stdout } = await promisify(execFile)(
          pgbench,
          ['-n', '-M', 'prepared', '-c', String(clients), '-t', String(each), '-D', 'i=0', '-D', `base=${base}`].concat(
            ['-f', script, '-h', hostname, '-p', port, '-U', username, pathname.slice(1)],
          ),
          { env: { ...process.env, PGPASSWORD: decodeURIComponent(password) } },
        );
        const answered = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
        const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
        if (answered !== clients * each) throw new Error(`pgbench: ${stdout}`);
        best = Math.max(best, rate);
        return { seconds: answered / rate, answered, rate, p50: Number.NaN, p99: Number.NaN };
      },
    },
  ];
}

/** The connections that the service has opened by now. */
async function countConnections(url: string): Promise<number> {
  const [open] = await query<{ count: number }>(
    url,
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return Math.max(1, open?.count ?? 1);
}

/** Users with a special token each, for the numbers that a run will use. */
async function addUsers(url: string, { appId }: Place, run: { base: number; clients: number; each: number }) {
  const numbers = `(select ${run.base}::bigint + c * ${A_CLIENT} + i as n
    from generate_series(0, ${run.clients - 1}) c, generate_series(1, ${run.each}) i) numbers`;
  const later = Date.now() + 7 * 86_400_000;
  await query(
    url,
    `insert into users (user_id, app_id, client_user_id, created_at)
    select ${uuidOf('n')}, ${appId}, ${nameOf('n')}, 0 from ${numbers}`,
  );
  await query(
    url,
    `insert into profiles (app_id, client_user_id, user_id, client_user_name)
    select ${appId}, ${nameOf('n')}, ${uuidOf('n')}, 'Ada' from ${numbers}`,
  );
  await query(
    url,
    `insert into special_tokens (token_hash, user_id, expires_at)
    select ${hashOfNumber('n')}, ${uuidOf('n')}, ${later} from ${numbers}`,
  );
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
