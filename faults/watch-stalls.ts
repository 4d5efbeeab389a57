import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 5;

/**
 * A probe of /livez: when it was sent and answered, and how long the server's thread worked meanwhile, in milliseconds.
 */
export type Probe = { from: number; to: number; worked: number };

/**
 * Polls /livez all the time, from another thread. On a busy machine, how long a probe waits says little, so what counts
 * is how long the server's first thread worked meanwhile, according to the kernel: a probe that waits while that thread
 * works is stuck behind something.
 */
export function watchStalls(url: string, pid: number): { probes(): Promise<Probe[]>; stop(): Promise<unknown> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: { stallsOf: url, pid } });
  return {
    async probes() {
      worker.postMessage('probes');
      const [probes] = (await once(worker, 'message')) as [Probe[]];
      return probes;
    },
    stop: () => worker.terminate(),
  };
}

const watched = workerData as { stallsOf?: string; pid: number } | null;
if (!isMainThread && watched?.stallsOf) {
  const { stallsOf, pid } = watched;
  const worked = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  let probes: Probe[] = [];
  let isAsked = false;
  parentPort?.on('message', () => (isAsked = true));
  for (;;) {
    const [from, before] = [performance.timeOrigin + performance.now(), worked()];
    await fetch(`${stallsOf}/livez`).then((response) => response.text());
    probes.push({ from, to: performance.timeOrigin + performance.now(), worked: worked() - before });
    if (isAsked) {
      isAsked = false;
      parentPort?.postMessage(probes);
      probes = [];
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
