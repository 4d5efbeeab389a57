import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contestant, compare, type Measured, type Series } from './compare.ts';
import { httpContestant } from './http-contestant.ts';
import type { Operation } from './operation.ts';
import { listGroups } from './operations/list-groups.ts';
import { saveReplace } from './operations/save.ts';
import { ratioOf } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';
import { type Stage, setStage } from './stage.ts';

/**
 * What a setting costs: two services, one with it and one without, take the same load in turn. Besides the rate,
 * measures the service's processor time per request, which other work on the machine disturbs less.
 *
 *   npm run bench:request-log -- [SECONDS a run] [ROUNDS]
 *   npm run bench:telemetry -- [SECONDS a run] [ROUNDS]
 */
const [, , setting = '', seconds = 3, rounds = 7] = process.argv;
let received = 0;
const collector = createServer((request, response) => {
  request.on('data', ({ length }: Buffer) => {
    received += length;
  });
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const SETTINGS: Record<string, { on: NodeJS.ProcessEnv; off: NodeJS.ProcessEnv }> = {
  'request-log': { on: { INNKEEPER_REQUEST_LOG: 'on' }, off: { INNKEEPER_REQUEST_LOG: 'off' } },
  // Traces of one request in a hundred, and metrics.
  telemetry: {
    on: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_METRIC_EXPORT_INTERVAL: '10000',
    },
    off: {},
  },
};
const measured = SETTINGS[setting];
if (!measured) throw new Error(`Unknown setting ${setting}: use ${Object.keys(SETTINGS).join(' or ')}.`);
const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const conditions = { rounds: Number(rounds), seconds: Number(seconds), connections: 64, folder };
const stages: Stage[] = [];
try {
  for (const [name, env] of Object.entries(measured)) {
    const databaseUrl = `sqlite:${join(folder, `${name}.db`)}`;
    stages.push(await setStage({ databaseUrl, folder, users: 1_000, env }));
  }
  console.log(`${seconds} s a run, ${availableParallelism()} cores, load before ${loadavg()[0]?.toFixed(1)}\n`);
  for (const operation of [listGroups, saveReplace]) await measure(operation);
  if (setting === 'telemetry') console.log(`the collector received ${Math.round(received / 1000)} kB`);
} finally {
  for (const stage of stages) await stage.stop();
  collector.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(operation: Operation): Promise<void> {
  const contestants: Contestant[] = [];
  for (const stage of stages) {
    const requests = await operation.prepare(stage, 1);
    const { port, child } = stage.service;
    contestants.push(
      httpContestant({ name: 'it', port, child, once: false, requests: async () => requests }, conditions),
    );
  }
  const [on, off] = await compare(contestants, conditions);
  if (!on || !off || on.void || off.void) throw new Error(`void: ${on?.void ?? off?.void}`);
  const processorOf = ({ processorUs = Number.NaN }: Measured): number => processorUs;
  const show = ({ runs }: Series): string => showSpread(spreadOf(runs.map(processorOf)), 0);
  console.log(
    `${operation.title}: rate on / off ${showSpread(ratioOf(on, off))}; ` +
      `processor time on / off ${showSpread(ratioOf(on, off, processorOf))}, ${show(on)} µs against ${show(off)} µs`,
  );
}
