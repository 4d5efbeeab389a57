import { parentPort } from 'node:worker_threads';
import {
  type BatchMessage,
  type BatchResult,
  type CloseCommand,
  createActs,
  type OpenCommand,
  runBatch,
  type WriterReady,
} from './batch.ts';
import { connectToWrite, keepLogShort } from './connection.ts';
import { FileGuard } from './file-guard.ts';
import { OpenFile } from './open-file.ts';

/** The thread that writes. The HTTP thread never waits for the disk: it sends batches here and gets outcomes back. */
parentPort?.once('message', ({ path, link, busyMs, truncateMs, longLog, identity }: OpenCommand) => {
  const connection = connectToWrite(path, busyMs);
  const acts = createActs(connection);
  connection.statement('select count(*) from sqlite_schema').get();
  const guard = new FileGuard(connection, new OpenFile(path, { identity, link }));

  parentPort?.on('message', (message: BatchMessage | CloseCommand) => {
    if (message === 'close') {
      guard.close();
      connection.close();
      parentPort?.close();
    } else {
      // A rejection ends the thread, and another takes over.
      void respond(message);
    }
  });

  async function respond({ acts: batch }: BatchMessage): Promise<void> {
    const results = await guard.run(batch.length, () => runBatch(connection, acts, batch));
    parentPort?.postMessage({ results } satisfies BatchResult);
  }

  keepLogShort(connection, guard.file, { everyMs: truncateMs, longLog });
  parentPort?.postMessage({ identity: guard.file.identity } satisfies WriterReady);
});
