import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contestant, compare } from './compare.ts';
import { httpContestant } from './http-contestant.ts';
import type { Operation } from './operation.ts';
import { listGroups } from './operations/list-groups.ts';
import { saveReplace } from './operations/save.ts';
import { ratioOf } from './results.ts';
import { showSpread } from './spread.ts';
import { type Stage, setStage } from './stage.ts';

/**
 * What the request log costs: two services, one with it and one without, take the same load in turn. Beside the rate, the
 * processor time of the service for each request, which other work on the machine disturbs less.
 *
 *   npm run bench:request-log -- [SECONDS a run] [ROUNDS]
 */
const [, , seconds = 3, rounds = 7] = process.argv;
const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const conditions = { rounds: Number(rounds), seconds: Number(seconds), connections: 64, folder };
const stages: Stage[] = [];
try {
  for (const requestLog of ['on', 'off']) {
    const databaseUrl = `sqlite:${join(folder, `${requestLog}.db`)}`;
    stages.push(await setStage({ databaseUrl, folder, users: 1_000, env: { INNKEEPER_REQUEST_LOG: requestLog } }));
  }
  console.log(`${seconds} s a run, ${availableParallelism()} cores, load before ${loadavg()[0]?.toFixed(1)}\n`);
  for (const operation of [listGroups, saveReplace]) await measure(operation);
} finally {
  for (const stage of stages) await stage.stop();
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
  const processor = ratioOf(off, on, ({ processorUs }) => processorUs ?? Number.NaN);
  console.log(
    `${operation.title}: rate on / off ${showSpread(ratioOf(on, off))}; processor off / on ${showSpread(processor)}`,
  );
}
