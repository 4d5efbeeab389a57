import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../packages/server/test/free-port.ts';
import { type Campaign, type CampaignContext, CannotRun } from '../campaign.ts';
import { postgresFor } from '../databases.ts';

const ROOT = join(import.meta.dirname, '../..');

export const pooler: Campaign = {
  name: 'pooler',
  title: 'the storage contract suite behind pgbouncer in transaction mode',
  promise: 'the same results as without it',
  operatorSees: 'nothing',
  unit: 'run of the suite',
  times: { short: 1, full: 1 },
  async run(context) {
    const url = await startPooler(context);
    await context.attempt(async (lose) => {
      const { tests, failures } = await runContractSuite(context, url);
      const transactions = await transactionsOf(context, url);
      context.report(`${tests} tests, ${transactions} transactions of them through the pooler`);
      if (tests === 0 || transactions < tests) throw new Error('The suite did not go through the pooler.');
      for (const failure of failures) lose(failure);
    });
  },
  control: {
    what: 'a session setting, read again under concurrency',
    times: 1,
    async run(context) {
      const url = await startPooler(context);
      await context.attempt(async (lose) => {
        const [one, other] = await Promise.all([connect(context, url), connect(context, url)]);
        await one.query("set statement_timeout = '1234ms'");
        await other.query('begin');
        const { rows } = await one.query<{ statement_timeout: string }>('show statement_timeout');
        await other.query('rollback');
        if (rows[0]?.statement_timeout !== '1234ms') lose(`the session has ${rows[0]?.statement_timeout}`);
      });
    },
  },
};

/** Returns the URL of a database through the pooler. */
async function startPooler(context: CampaignContext): Promise<string> {
  const postgres = await postgresFor(context);
  const target = new URL(postgres.url('postgres'));
  const port = await freePort();
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${target.port} user=${target.username} password=${decodeURIComponent(target.password)}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 10', 'max_client_conn = 2000', 'max_db_connections = 0'],
    ...['server_idle_timeout = 2', 'ignore_startup_parameters = extra_float_digits'],
  ];
  const file = join(context.folder, 'pgbouncer.ini');
  await writeFile(file, `${settings.join('\n')}\n`);
  const account = await accountFor(context, file);
  const process = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], ...account });
  let stderr = '';
  process.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(process, 'exit').catch(() => {
    throw new CannotRun('needs pgbouncer: apt-get install pgbouncer');
  });
  context.defer(async () => {
    process.kill('SIGINT');
    await exited;
  });
  target.port = String(port);
  for (const deadline = Date.now() + 10_000; ; ) {
    try {
      await (await connect(context, target.href)).query('select 1');
      return target.href;
    } catch (error) {
      await Promise.race([exited, sleep(100)]);
      if (process.exitCode !== null || Date.now() > deadline) throw new Error(`pgbouncer: ${error}\n${stderr}`);
    }
  }
}

/** It refuses to run as root, and must be able to read its settings. */
async function accountFor(context: CampaignContext, file: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = accounts.find(([name]) => name === 'nobody') ?? [];
  for (const path of [join(context.folder, '..'), context.folder]) await chmod(path, 0o755);
  await chmod(file, 0o644);
  return { uid: Number(uid), gid: Number(gid) };
}

async function connect(context: CampaignContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  context.defer(() => client.end().catch(() => {}));
  return client;
}

/** Its console accepts anyone: it is configured without a password. */
async function transactionsOf(context: CampaignContext, url: string): Promise<number> {
  const console = new URL(url);
  console.pathname = '/pgbouncer';
  const { rows } = await (await connect(context, console.href)).query<{ xact_count: string }>('show stats_totals');
  return rows.reduce((sum, { xact_count }) => sum + Number(xact_count), 0);
}

type SuiteReport = {
  numTotalTests: number;
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

async function runContractSuite(context: CampaignContext, url: string): Promise<{ tests: number; failures: string[] }> {
  const file = join(context.folder, 'suite.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', 'packages/server/test/contract', '--reporter=json', `--outputFile=${file}`];
  const env = { ...process.env, INNKEEPER_TEST_POSTGRES_URL: url };
  // It exits with 1 if a test fails: the report says which.
  await new Promise((resolve) => execFile(process.execPath, args, { env, cwd: ROOT, maxBuffer: 2 ** 26 }, resolve));
  const report = JSON.parse(await readFile(file, 'utf8')) as SuiteReport;
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${name}: ${message}`]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`),
  ]);
  return { tests: report.numTotalTests, failures };
}
