import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CpuProfile, drawFlameGraph, hottest, toFrames } from './flame-graph.ts';
import { runLoad } from './load.ts';
import type { Operation } from './operation.ts';
import { type StageOptions, setStage } from './stage.ts';

type Profiling = { operation: Operation; stage: StageOptions; seconds: number; connections: number; results: string };

const SHOWN = 15;

/** One operation under load, each thread of the service with a flame graph and its hottest functions. */
export async function profile({ operation, stage: options, seconds, connections, results }: Profiling): Promise<void> {
  const profiles = join(options.folder, 'profiles');
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'];
  const stage = await setStage({ ...options, nodeArgs });
  let from = 0;
  let to = 0;
  try {
    const { port } = stage.service;
    const file = join(options.folder, 'requests');
    const run = async (count: number) => {
      const requests = await operation.prepare(stage, count);
      from = monotonicMicroseconds();
      const result = await runLoad({ port, requests, once: operation.once, seconds, connections }, file);
      to = monotonicMicroseconds();
      return result;
    };
    const { rate: warm } = await run(8_000);
    const { rate } = await run(Math.ceil(warm * seconds * 1.5));
    console.log(`${operation.title}: ${Math.round(rate)}/s while profiled`);
  } finally {
    await stage.stop();
  }
  await mkdir(results, { recursive: true });
  for (const name of (await readdir(profiles)).toSorted()) {
    // CPU.date.time.pid.thread.number.cpuprofile
    const thread = name.split('.')[4] === '0' ? 'http thread' : `thread ${name.split('.')[4]}`;
    const root = toFrames(JSON.parse(await readFile(join(profiles, name), 'utf8')) as CpuProfile, from, to);
    if (root.total === 0) continue;
    const picture = join(results, `profile-${operation.name}-${thread.replace(' ', '-')}.svg`);
    await writeFile(picture, drawFlameGraph(root, `${operation.title}, ${thread}, ${root.total} samples`));
    console.log(`\n${thread}: ${picture}`);
    for (const { label, place, share } of hottest(root, SHOWN)) {
      console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${label}  ${place}`);
    }
  }
}

/** Of the clock that V8 stamps samples with. */
function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
