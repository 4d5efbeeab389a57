import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 250;

/**
 * Response times of /livez, measured from another thread, because the clients keep this one busy. Returns all times, in
 * milliseconds.
 */
export function watchLiveness(url: string): () => Promise<number[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  return async () => {
    worker.postMessage('enough');
    const [times] = (await once(worker, 'message')) as [number[]];
    await worker.terminate();
    return times;
  };
}

if (!isMainThread && typeof workerData === 'string') {
  const times: number[] = [];
  let over = false;
  parentPort?.once('message', () => (over = true));
  while (!over) {
    const before = performance.now();
    const response = await fetch(`${workerData}/livez`, { headers: { connection: 'close' } }).catch(() => undefined);
    times.push(response?.status === 200 ? performance.now() - before : Number.POSITIVE_INFINITY);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  parentPort?.postMessage(times);
}
