import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A separate process that writes zeros into the unused parts of pages of a SQLite file (its argument) while others
 * write to it: only SQLite itself can do that safely. What was unused when it was read may be a row by the time it is
 * overwritten.
 */
const PAGE = 4096;
const PAUSE_MS = 300;
/** Leaf and inner pages of tables and indexes, and the size of their headers. */
const HEADERS: Record<number, number> = { 2: 12, 5: 12, 10: 8, 13: 8 };

const database = new DatabaseSync(process.argv[2] as string, { timeout: 5_000 });
const file = openSync(process.argv[2] as string, 'r+');
process.once('SIGTERM', () => {
  closeSync(file);
  process.exit(0);
});
for (;;) {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(size);
  readSync(file, bytes, 0, size, 0);
  await sleep(PAUSE_MS);
  // Like any process with the database open: what was written meanwhile is moved into the file.
  database.prepare('pragma wal_checkpoint(passive)').get();
  for (let at = PAGE; at + PAGE <= size; at += PAGE) {
    const header = HEADERS[bytes[at] as number];
    if (header === undefined) continue;
    const gap = header + 2 * bytes.readUInt16BE(at + 3);
    const content = bytes.readUInt16BE(at + 5) || 65_536;
    if (content > gap && content <= PAGE) writeSync(file, Buffer.alloc(content - gap), 0, content - gap, at + gap);
  }
}
