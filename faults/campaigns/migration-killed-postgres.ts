import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { bin, commandLine } from '../../packages/server/test/cli/run-innkeeper.ts';
import { SECRET } from '../../packages/server/test/http/start.ts';
import { askPostgres } from '../ask-postgres.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { postgresFor } from '../databases.ts';

/**
 * On the way to the server, turns each transaction into single commits. The empty statements are as long as what they
 * replace.
 */
const withoutTransactions: InTransit = (bytes) =>
  Buffer.from(
    bytes.toString('latin1').replace(/begin(?=[;\0])|commit(?=\0)/g, (text) => ';'.repeat(text.length)),
    'latin1',
  );
const asSent: InTransit = (bytes) => bytes;

type InTransit = (bytes: Buffer) => Buffer;

export const migrationKilledPostgres: Campaign = {
  name: 'migration-killed-postgres',
  title: '`innkeeper migrate` on PostgreSQL is interrupted at its nth message by kill -9 or pg_terminate_backend',
  promise: 'running it again completes the same schema',
  operatorSees: '`migrate --check` lists what is pending',
  unit: 'kills',
  times: { short: 6, full: 40 },
  run: (context) => run(context, { inTransit: asSent, ways: ['kill', 'terminate'] }),
  control: {
    what: 'a migration without a transaction',
    times: Number.POSITIVE_INFINITY,
    run: (context) => run(context, { inTransit: withoutTransactions, ways: ['kill'], untilLost: true }),
  },
};

type How = 'kill' | 'terminate';
type Faults = { inTransit: InTransit; ways: How[]; untilLost?: boolean };

async function run(context: CampaignContext, { inTransit, ways, untilLost = false }: Faults): Promise<void> {
  const postgres = await postgresFor(context);
  const undisturbed = await postgres.createDatabase();
  const { messages } = await migrate(undisturbed, asSent);
  const wanted = await schemaOf(undisturbed);
  const stopped = { kill: 0, terminate: 0 };
  let [tried, hasLost] = [0, false];
  for (const at of inAnyOrder(messages).slice(0, context.times)) {
    const how = ways[tried++ % ways.length] as How;
    await context.attempt(async (lose) => {
      const url = await postgres.createDatabase();
      const { code } = await migrate(url, inTransit, { at, how });
      if (code !== 0) stopped[how]++;
      const again = await commandLine(url).run('migrate', '--json');
      const isAsWanted = again.code === 0 && (await schemaOf(url)) === wanted;
      if (isAsWanted) return;
      hasLost = true;
      lose(`at message ${at}, ${again.code === 0 ? 'the schema is another' : `the rest is not done: ${again.stderr}`}`);
    });
    if (untilLost && hasLost) break;
  }
  if (stopped.kill + stopped.terminate < tried / 2) throw new Error('Hardly any migration was stopped in time.');
  context.report(`${stopped.kill} killed and ${stopped.terminate} cut off before the end, of ${messages} messages`);
}

/** The numbers from 1 to `last`, shuffled. */
function inAnyOrder(last: number): number[] {
  const numbers = Array.from({ length: last }, (_, index) => ({ number: index + 1, place: Math.random() }));
  return numbers.toSorted((one, other) => one.place - other.place).map(({ number }) => number);
}

type Fault = { at: number; how: How };

/** How many messages it sent, and how it ended. */
async function migrate(
  url: string,
  inTransit: InTransit,
  fault?: Fault,
): Promise<{ messages: number; code: number | null }> {
  let messages = 0;
  const target = new URL(url);
  const line = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes: Buffer) => {
      server.write(inTransit(bytes));
      if (++messages !== fault?.at) return;
      if (fault.how === 'kill') child.kill('SIGKILL');
      else void terminate(url);
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.on('error', () => {}).on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const near = new URL(url);
  near.port = String((line.address() as AddressInfo).port);
  const env = { PATH: process.env.PATH, INNKEEPER_DATABASE_URL: near.href, INNKEEPER_SECRET: SECRET };
  const child = spawn(process.execPath, [bin, 'migrate'], { env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  line.close();
  return { messages, code };
}

/** Ends all connections to the database but this one. */
async function terminate(url: string): Promise<void> {
  await askPostgres(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

async function schemaOf(url: string): Promise<string> {
  const parts = [
    'select number from schema_migrations order by 1',
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
      where table_schema = 'public' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    'select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = $$public$$::regnamespace order by 1, 2',
  ];
  return JSON.stringify(await Promise.all(parts.map((sql) => askPostgres(url, sql))));
}
