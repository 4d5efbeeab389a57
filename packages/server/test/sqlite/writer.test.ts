import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { sqlite } from '../databases.ts';

/** Longer than the pause before a writer thread that died is replaced. */
const REPLACED_MS = 1_000;

test('a storage that was closed right after its writer thread died does not open the file again', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const storage = await (await storageDriver(await sqlite.fresh())).open();
  const [writer] = started as [Worker];
  const exited = once(writer, 'exit');
  await writer.terminate();
  await exited;
  await storage.close();
  await sleep(REPLACED_MS);
  expect(started).toHaveLength(1);
});
