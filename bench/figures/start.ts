import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../results.ts';
import { innkeeper, processorTime, residentMegabytes, startService } from '../service.ts';

/** By then, the work after a start is done. */
const REST_MS = 2_000;

/** `innkeeper serve` on an existing database, until /readyz returns 200 and at rest; and the time of a short command. */
export async function measureStart(settings: NodeJS.ProcessEnv, runs: number): Promise<Figure[]> {
  const ready: number[] = [];
  const processor: number[] = [];
  const memory: number[] = [];
  const command: number[] = [];
  await innkeeper(['app', 'create', '--name', 'Bench'], settings);
  for (let run = -1; run < runs; run++) {
    const service = await startService(settings);
    try {
      const processorMs = await processorTime(service.child);
      await sleep(REST_MS);
      // The first run also fills the compile cache.
      if (run < 0) continue;
      ready.push(service.readyMs);
      processor.push(processorMs);
      memory.push(await residentMegabytes(service.child));
    } finally {
      await service.stop();
    }
    const before = performance.now();
    await innkeeper(['app', 'list'], settings);
    command.push(performance.now() - before);
  }
  return [
    { name: 'start', title: 'process start to ready, existing database', unit: 'ms', values: ready },
    { name: 'start-processor', title: 'processor time by then', unit: 'ms', values: processor },
    { name: 'memory-idle', title: 'memory at rest', unit: 'MB', values: memory },
    { name: 'command', title: '`innkeeper app list`, start to end', unit: 'ms', values: command },
  ];
}
