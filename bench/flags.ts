import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { startBareHttp } from './limits/start-limit.ts';
import { runLoad } from './load.ts';
import { evaluateFlag, evaluateFlags, evaluateOwnFlag } from './operations/evaluate-flags.ts';
import { sendOk } from './send.ts';
import { processorTime } from './service.ts';
import { showSpread, spreadOf } from './spread.ts';
import { type Stage, setStage } from './stage.ts';

/**
 * How long an OFREP evaluation takes at a given rate; a bare node:http server gets the same load in the same rounds.
 * Run: npm run bench:flags [rounds] [seconds] [evaluations per second] [sqlite|postgres]
 */
const [ROUNDS = 5, SECONDS = 4, RATE = 4_000] = process.argv.slice(2, 5).map(Number);
const DATABASES = ['sqlite', 'postgres'].filter((kind) => kind === (process.argv[5] ?? kind));
const USERS = 2_000;
const CONNECTIONS = 32;
const OPERATIONS = [evaluateFlag, evaluateOwnFlag, evaluateFlags];

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const postgres = await startPostgres({ durable: true });
try {
  console.log(
    '| operation | per second | p50, ms | p99, ms | bare node:http, p99, ms | µs per request |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const kind of DATABASES) {
    const databaseUrl = kind === 'sqlite' ? `sqlite:${join(folder, 'flags.db')}` : await postgres.createDatabase();
    const stage = await setStage({ databaseUrl, folder, users: USERS });
    for (const operation of OPERATIONS) await measure(kind, stage, operation);
    await stage.stop();
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(kind: string, stage: Stage, operation: (typeof OPERATIONS)[number]): Promise<void> {
  const { port, child } = stage.service;
  const requests = await operation.prepare(stage, 1);
  const [response] = await sendOk(port, requests.slice(0, 1));
  if (!response) throw new Error('no response');
  const bare = await startBareHttp('', response);
  const send = (to: number, pauseMs?: number) => {
    const load = { port: to, requests, once: false, seconds: SECONDS, connections: CONNECTIONS };
    return runLoad(pauseMs === undefined ? load : { ...load, pauseMs }, join(folder, 'requests'));
  };
  const seen: Record<'rate' | 'p50' | 'p99' | 'bare' | 'work', number[]> = {
    rate: [],
    p50: [],
    p99: [],
    bare: [],
    work: [],
  };
  // At full speed, until the code is optimized.
  for (const to of [port, bare.port]) await send(to);
  let pauseMs = (CONNECTIONS / RATE) * 1000;
  for (let round = -1; round < ROUNDS; round++) {
    const before = await processorTime(child);
    const paced = await send(port, pauseMs);
    const work = ((await processorTime(child)) - before) / paced.answered;
    const other = await send(bare.port, pauseMs);
    // The time between two requests of a connection includes the average response time.
    pauseMs += (CONNECTIONS / RATE - CONNECTIONS / paced.rate) * 1000;
    // The first rounds find the pace.
    if (round < 0) continue;
    seen.rate.push(paced.rate);
    seen.p50.push(paced.p50);
    seen.p99.push(paced.p99);
    seen.bare.push(other.p99);
    seen.work.push(work * 1000);
  }
  await bare.stop();
  const show = (values: number[], digits: number) => showSpread(spreadOf(values), digits);
  console.log(
    `| ${kind}, ${operation.title} | ${show(seen.rate, 0)} | ${show(seen.p50, 1)} | ${show(seen.p99, 1)} | ${show(seen.bare, 1)} | ${show(seen.work, 0)} |`,
  );
}
