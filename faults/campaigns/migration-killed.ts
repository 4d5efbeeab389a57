import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { bin, commandLine } from '../../packages/server/test/cli/run-innkeeper.ts';
import { SECRET } from '../../packages/server/test/http/start.ts';
import { type Campaign, type CampaignContext, CannotRun } from '../campaign.ts';

/** Loaded into the runtime: commits every statement of a migration by itself. */
const WITHOUT_TRANSACTION = `data:text/javascript,${encodeURIComponent(`
  import { DatabaseSync } from 'node:sqlite';
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === 'begin immediate') return;
    if (sql !== 'rollback') exec.call(this, sql.replace(/; commit$/, ''));
  };
`)}`;

export const migrationKilled: Campaign = {
  name: 'migration-killed',
  title: '`innkeeper migrate` on SQLite is killed at its nth disk write, for random n',
  promise: 'running it again completes the same schema; the integrity check is clean',
  operatorSees: '`migrate --check` lists what is pending',
  unit: 'kills',
  times: { short: 6, full: 20 },
  run: (context) => run(context, []),
  control: {
    what: 'a migration without a transaction',
    times: 4,
    run: (context) => run(context, ['--import', WITHOUT_TRANSACTION]),
  },
};

async function run(context: CampaignContext, nodeArgs: string[]): Promise<void> {
  const undisturbed = join(context.folder, 'undisturbed.db');
  const { writes } = await migrate(undisturbed, nodeArgs);
  const wanted = schemaOf(undisturbed);
  let killed = 0;
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const path = join(context.folder, `${round}.db`);
      const done = await migrate(path, nodeArgs, 1 + Math.floor(Math.random() * (writes - 1)));
      if (done.killed) killed++;
      const again = await commandLine(`sqlite:${path}`).run('migrate', '--json');
      if (again.code !== 0) return lose(`the rest is not done: ${again.stderr}`);
      if (schemaOf(path) !== wanted) lose('the schema is another');
    });
  }
  if (killed < context.times / 2) throw new Error(`Only ${killed} were killed in time.`);
  context.report(`${killed} killed before the end, of ${writes} writes`);
}

/** How many writes it made, or that it was killed at the given one. */
async function migrate(
  path: string,
  nodeArgs: string[],
  killAt?: number,
): Promise<{ writes: number; killed: boolean }> {
  const inject = killAt === undefined ? [] : ['-e', `inject=pwrite64:signal=KILL:when=${killAt}`];
  const strace = ['-f', '-qq', '-e', 'trace=pwrite64', ...inject];
  const env = { PATH: process.env.PATH, INNKEEPER_DATABASE_URL: `sqlite:${path}`, INNKEEPER_SECRET: SECRET };
  const command = [process.execPath, ...nodeArgs, bin, 'migrate'];
  try {
    const { stderr } = await promisify(execFile)('strace', [...strace, ...command], { env, maxBuffer: 2 ** 26 });
    return { writes: stderr.split('pwrite64(').length - 1, killed: false };
  } catch (error) {
    const { code, signal } = error as { code?: unknown; signal?: string };
    if (code === 'ENOENT') throw new CannotRun('needs strace: apt-get install strace');
    if (killAt !== undefined && (signal === 'SIGKILL' || code === 137)) return { writes: killAt, killed: true };
    throw error;
  }
}

function schemaOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const parts = [
      'pragma integrity_check',
      'pragma user_version',
      'select name, sql from sqlite_schema order by name',
    ];
    return JSON.stringify(parts.map((sql) => database.prepare(sql).all()));
  } finally {
    database.close();
  }
}
