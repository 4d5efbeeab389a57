import { parentPort, workerData } from 'node:worker_threads';
import { createActs } from './acts.ts';
import type { BatchMessage, BatchResult } from './batch.ts';
import { connectToWrite } from './connection.ts';
import { runBatch } from './run-batch.ts';

/** The thread that writes. The HTTP thread never waits for the disk: it sends batches here and gets outcomes back. */
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
