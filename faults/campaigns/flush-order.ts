import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import { type Campaign, type CampaignContext, CannotRun } from '../campaign.ts';
import { Client, openPlace } from '../client.ts';
import { ANSWERS_BEFORE_COMMIT } from '../controls/answers-before-commit.ts';
import { sqliteIn } from '../databases.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

export const flushOrder: Campaign = {
  name: 'flush-order',
  title: 'the system calls of the service (strace) while one client creates users, on SQLite',
  promise: 'no response leaves before its write is in the log and flushed',
  operatorSees: 'nothing',
  unit: 'answers',
  times: { short: 50, full: 1_000 },
  run: (context) => run(context, {}),
  control: {
    what: 'a writer that responds before it commits',
    times: 10,
    run: (context) => run(context, { nodeArgs: ANSWERS_BEFORE_COMMIT }),
  },
};

async function run(context: CampaignContext, how: ServeOptions): Promise<void> {
  const databaseUrl = sqliteIn(context.folder);
  const application = await setStage(databaseUrl);
  const server = await serve({ ...how, settings: { ...SETTINGS, databaseUrl, requestLog: 'off' } });
  context.defer(() => end(server));
  const client = new Client(await openPlace(server.url, application));
  await client.create();
  const file = join(context.folder, 'trace');
  const detach = await trace(server.pid, file);
  for (let count = 0; count < context.times; count++) {
    const { exists } = await client.create();
    if (exists !== 'yes') throw new Error('A user could not be created.');
  }
  client.close();
  await detach();
  const answers = judge(await readFile(file, 'utf8'));
  if (answers.length < context.times) throw new Error(`The trace shows ${answers.length} of ${context.times} answers.`);
  for (const answer of answers.slice(-context.times)) {
    await context.attempt(async (lose) => {
      if (answer !== 'flushed') lose(answer);
    });
  }
}

async function trace(pid: number, file: string): Promise<() => Promise<void>> {
  const calls = 'trace=write,writev,pwrite64,sendto,sendmsg,fsync,fdatasync';
  const tracer = spawn('strace', ['-f', '-y', '-s', '16', '-e', calls, '-o', file, '-p', String(pid)]);
  let stderr = '';
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const failed = once(tracer, 'error').then(() => {
    throw new CannotRun('needs strace: apt-get install strace');
  });
  const exited = once(tracer, 'exit').then(() => {
    if (!stderr.includes('attached')) throw new CannotRun(`strace may not look at a process here: ${stderr.trim()}`);
  });
  const attached = (async () => {
    while (!stderr.includes('attached')) await once(tracer.stderr, 'data');
  })();
  await Promise.race([attached, failed, exited]);
  return async () => {
    tracer.kill('SIGINT');
    await exited;
  };
}

type Verdict =
  | 'flushed'
  | 'the answer left before any write to the log'
  | 'the answer left before the flush of the log';

/** For every response about a user, in the order of the trace: what happened to the log since the one before. */
function judge(trace: string): Verdict[] {
  const verdicts: Verdict[] = [];
  const flushing = new Set<string>();
  let log: 'untouched' | 'written' | 'flushed' = 'untouched';
  for (const line of trace.split('\n')) {
    const [, thread = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const isOnLog = call.includes('.db-wal>');
    if (/^(pwrite64|write)\(/.test(call) && isOnLog) log = 'written';
    else if (/^f(data)?sync\(/.test(call) && isOnLog) {
      if (call.includes('unfinished')) flushing.add(thread);
      else log = 'flushed';
    } else if (/^<\.\.\. f(data)?sync resumed>/.test(call) && flushing.delete(thread)) log = 'flushed';
    else if (/^(write|writev|sendto|sendmsg)\(\d+<(socket|TCP).*HTTP\/1\.1 200/.test(call)) {
      if (log === 'flushed') verdicts.push('flushed');
      else verdicts.push(`the answer left before ${log === 'written' ? 'the flush of' : 'any write to'} the log`);
      log = 'untouched';
    }
  }
  return verdicts;
}
