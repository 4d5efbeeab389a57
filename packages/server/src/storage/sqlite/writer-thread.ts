import { parentPort, workerData } from 'node:worker_threads';
import { createActs } from './acts.ts';
import type { BatchMessage, BatchResult, WriterData } from './batch.ts';
import { connectToWrite } from './connection.ts';
import { runBatch } from './run-batch.ts';
import { keepLogShort } from './truncate-log.ts';

/** The thread that writes. The HTTP thread never waits for the disk: it sends batches here and gets outcomes back. */
const { path, truncateMs } = workerData as WriterData;
const connection = connectToWrite(path);
const acts = createActs(connection);

parentPort?.on('message', async (message: BatchMessage | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ results: await runBatch(connection, acts, message.acts) } satisfies BatchResult);
});
keepLogShort(connection, path, truncateMs);
parentPort?.postMessage('ready');
