import { once } from 'node:events';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import type { BatchMessage, BatchResult, OpenCommand } from '../../src/storage/sqlite/batch.ts';
import { connectToRead } from '../../src/storage/sqlite/connection.ts';
import { sqliteDriver } from '../../src/storage/sqlite/index.ts';
import { FileWatch, OpenFile } from '../../src/storage/sqlite/open-file.ts';
import { scratchFile } from '../scratch-file.ts';

const MIB = 1024 * 1024;

/** Short reads with hardly a gap between them, like a service under load. */
const READER = `
  const { workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const { setTimeout: sleep } = require('node:timers/promises');
  const open = () => new DatabaseSync(workerData, { readOnly: true, timeout: 5000 });
  const [one, other] = [open(), open()];
  const read = (database) => { database.exec('begin'); database.prepare('select count(*) from facts').get(); };
  (async () => {
    read(one);
    for (;;) {
      await sleep(15); read(other); one.exec('rollback');
      await sleep(15); read(one); other.exec('rollback');
    }
  })();
`;

test('a long log is emptied even if there is always a reader', { timeout: 60_000 }, async () => {
  const path = scratchFile('db');
  await sqliteDriver(path).migrate();
  const open: OpenCommand = { path, truncateMs: 50, longLog: MIB };
  const writer = new Worker(new URL('../../src/storage/sqlite/writer-thread.ts', import.meta.url));
  writer.postMessage(open);
  await once(writer, 'message');
  const reader = new Worker(READER, { eval: true, workerData: path });
  try {
    const holder = connectToRead(path);
    holder.database.exec('begin');
    holder.statement('select count(*) from facts').get();
    for (let at = 0; at < 20; at++) {
      const acts: BatchMessage['acts'] = [
        ['performCommonAct', [{ store: 'facts', act: 'settle', args: [`large ${at}`, 'x'.repeat(200_000)] }]],
      ];
      writer.postMessage({ acts } satisfies BatchMessage);
      const [{ results }] = (await once(writer, 'message')) as [BatchResult];
      expect(results).toHaveProperty('0.outcome');
    }
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(MIB);
    holder.close();
    await vi.waitFor(() => expect(statSync(`${path}-wal`).size).toBe(0), { timeout: 40_000, interval: 20 });
  } finally {
    await reader.terminate();
    writer.postMessage('close');
    await once(writer, 'exit');
  }
});

test('a log that cannot be emptied is reported with a suggested fix, until it is short again', async () => {
  const path = scratchFile('db');
  for (const ending of ['', '-wal', '-shm']) writeFileSync(path + ending, 'not empty');
  const watch = new FileWatch(new OpenFile(path), 100);
  expect(watch.problems()).toEqual([]);
  truncateSync(`${path}-wal`, 300 * MIB);
  watch.look();
  // For a moment, this is no problem.
  expect(watch.problems()).toEqual([]);
  await vi.waitFor(() => expect(watch.problems()).toHaveLength(1));
  expect(watch.problems()).toEqual([
    { kind: 'log-size', effect: 'none', message: expect.stringMatching(/-wal has 300 MiB.*innkeeper backup.*end it/) },
  ]);
  truncateSync(`${path}-wal`, 0);
  watch.look();
  expect(watch.problems()).toEqual([]);
  watch.close();
});
