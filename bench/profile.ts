import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { type CpuProfile, drawFlameGraph, hottest, toFrames } from './flame-graph.ts';
import { runLoad } from './load.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import type { Options } from './options.ts';
import { type Stage, setStage } from './stage.ts';

const SHOWN = 15;
const WARM_UP_REQUESTS = 8_000;

/** Runs one operation under load; each thread of the service gets a flame graph and a list of its hottest functions. */
export async function profile(options: Options, folder: string): Promise<void> {
  const operation = operations.find(({ name }) => options.only.includes(name));
  if (!operation) return;
  const profiles = join(folder, 'profiles');
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'];
  const postgres = options.databases[0] === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  let span: Span;
  try {
    const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(folder, 'innkeeper.db')}`;
    const stage = await setStage({ databaseUrl, folder, users: options.users, nodeArgs });
    span = await loadAndStop(stage, operation, options, folder);
  } finally {
    await postgres?.stop();
  }
  await mkdir(options.results, { recursive: true });
  for (const file of (await readdir(profiles)).toSorted()) {
    // CPU.date.time.pid.thread.number.cpuprofile
    const thread = file.split('.')[4] === '0' ? 'http thread' : `thread ${file.split('.')[4]}`;
    const recorded = JSON.parse(await readFile(join(profiles, file), 'utf8')) as CpuProfile;
    const root = toFrames(recorded, span.from, span.to);
    if (root.total === 0) continue;
    const picture = join(options.results, `profile-${operation.name}-${thread.replace(' ', '-')}.svg`);
    await writeFile(picture, drawFlameGraph(root, `${operation.title}, ${thread}, ${root.total} samples`));
    console.log(`\n${thread}: ${picture}`);
    for (const { label, place, share } of hottest(root, SHOWN)) {
      console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${label}  ${place}`);
    }
  }
}

/** In microseconds of the clock that V8 uses for samples. */
type Span = { from: number; to: number };

/** A profile is written when the process ends; only the part between the two times is used. */
async function loadAndStop(stage: Stage, operation: Operation, options: Options, folder: string): Promise<Span> {
  const { seconds, connections } = options;
  const run = async (count: number) => {
    const requests = await operation.prepare(stage, count);
    const load = { port: stage.service.port, requests, once: operation.once, seconds, connections };
    const from = monotonicMicroseconds();
    const { rate } = await runLoad(load, join(folder, 'requests'));
    return { rate, from, to: monotonicMicroseconds() };
  };
  try {
    const warm = await run(WARM_UP_REQUESTS);
    const measured = await run(Math.ceil(warm.rate * seconds * 1.5));
    console.log(`${operation.title}: ${Math.round(measured.rate)}/s while profiled`);
    return measured;
  } finally {
    await stage.stop();
  }
}

function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
