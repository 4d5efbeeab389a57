import { join } from 'node:path';
import type { Conditions } from '../compare.ts';
import { flushP99 } from '../limits/flush.ts';
import { startBareHttp } from '../limits/start-limit.ts';
import { runLoad } from '../load.ts';
import type { Operation } from '../operation.ts';
import { createUser } from '../operations/create-user.ts';
import { getAccessToken } from '../operations/get-access-token.ts';
import { getKey, getKeyUnchanged } from '../operations/get-key.ts';
import { listGroups } from '../operations/list-groups.ts';
import { listKeys } from '../operations/list-keys.ts';
import { readSelections } from '../operations/read-selections.ts';
import { save, saveReplace } from '../operations/save.ts';
import type { Figure } from '../results.ts';
import { residentMegabytes } from '../service.ts';
import type { Stage } from '../stage.ts';

/** Per hundred requests: people who open settings mostly read, and now and then save. */
const MIX: [Operation, number][] = [
  [listGroups, 15],
  [listKeys, 25],
  [getKey, 10],
  [getKeyUnchanged, 10],
  [readSelections, 15],
  [saveReplace, 10],
  [save, 5],
  [createUser, 5],
  [getAccessToken, 5],
];

/**
 * The maximum rate of a mix of operations, its memory then, and the response time at half that rate; for comparison, a
 * bare server under the same load, and the disk.
 */
export async function measureMixedLoad(stage: Stage, conditions: Conditions): Promise<Figure[]> {
  const { rounds, seconds, connections, folder } = conditions;
  const { port, child } = stage.service;
  const send = (requests: string[], to = port, pauseMs?: number) => {
    const pause = pauseMs === undefined ? {} : { pauseMs };
    return runLoad({ port: to, requests, once: true, seconds, connections, ...pause }, join(folder, 'requests'));
  };
  const run = async (count: number) => send(await mixedRequests(stage, count));
  const bare = await startBareHttp('', { status: 200, headers: [['Content-Length', '2000']], body: 'x'.repeat(2_000) });
  const peaks: number[] = [];
  const p99: number[] = [];
  const shares: number[] = [];
  const memory: number[] = [];
  const bareP99: number[] = [];
  const flushes: number[] = [];
  await run(8_000);
  let best = (await run(20_000)).rate;
  for (let round = 0; round < rounds; round++) {
    let most = 0;
    const watch = setInterval(() => {
      void residentMegabytes(child).then((now) => (most = Math.max(most, now)));
    }, 100);
    const peak = await run(Math.ceil(best * seconds * 1.4)).finally(() => clearInterval(watch));
    best = Math.max(best, peak.rate);
    const pauseMs = (connections / (peak.rate / 2)) * 1000 - peak.p50 / 4;
    const requests = await mixedRequests(stage, Math.ceil(best * seconds));
    const calm = await send(requests, port, pauseMs);
    bareP99.push((await send(requests, bare.port, pauseMs)).p99);
    flushes.push(await flushP99(folder, seconds));
    peaks.push(peak.rate);
    memory.push(most);
    p99.push(calm.p99);
    shares.push(calm.rate / peak.rate);
  }
  await bare.stop();
  return [
    { name: 'mixed-peak', title: 'mixed load, the most', unit: '/s', values: peaks },
    { name: 'memory-load', title: 'memory under it, 64 connections', unit: 'MB', values: memory },
    { name: 'mixed-p99', title: 'mixed load at about half of that, p99', unit: 'ms', values: p99 },
    { name: 'mixed-p99-bare', title: 'bare node:http sent the same at that rate, p99', unit: 'ms', values: bareP99 },
    { name: 'flush-p99', title: 'a flush of 8 KiB with nothing else, p99', unit: 'ms', values: flushes },
    { name: 'mixed-share', title: 'the share that was reached there', unit: 'x', values: shares },
  ];
}

/** Evenly mixed: each operation's requests are spread over every hundred. */
async function mixedRequests(stage: Stage, count: number): Promise<string[]> {
  const hundreds = Math.ceil(count / 100);
  const sources: { requests: string[]; share: number; taken: number }[] = [];
  for (const [operation, share] of MIX) {
    sources.push({ requests: await operation.prepare(stage, hundreds * share), share, taken: 0 });
  }
  return Array.from({ length: hundreds * 100 }, (_, index) => {
    const behind = (source: (typeof sources)[number]): number => ((index + 1) * source.share) / 100 - source.taken;
    const next = sources.reduce((most, source) => (behind(source) > behind(most) ? source : most));
    return next.requests[next.taken++ % next.requests.length] as string;
  });
}
