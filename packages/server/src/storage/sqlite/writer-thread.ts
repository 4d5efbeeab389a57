import { parentPort, workerData } from 'node:worker_threads';
import { type Acts, createActs } from './acts.ts';
import { connectToWrite } from './connection.ts';
import { runBatch } from './run-batch.ts';

/** The thread that writes. The HTTP thread never waits for the disk: it sends batches here and gets outcomes back. */
export type BatchMessage = { acts: [name: keyof Acts, args: unknown[]][] };
export type BatchResult = { results: ActResult[] };
export type ActResult = { outcome: unknown } | { failed: 'unavailable' | 'defect'; message: string };

const connection = connectToWrite((workerData as { path: string }).path);
const acts = createActs(connection);

parentPort?.on('message', (message: BatchMessage | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ results: runBatch(connection, acts, message.acts) } satisfies BatchResult);
});
parentPort?.postMessage('ready');
