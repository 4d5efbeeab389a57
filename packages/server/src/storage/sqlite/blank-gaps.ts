import { fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { type Connection, withoutWaiting } from './connection.ts';

/** Looked at in one go, while writes wait: some 15 ms. */
const PAGES_AT_ONCE = 4_096;
const PAGES_READ = 256;
const FILE_HEADER = 100;
/** From here on the number of a page can look like the first byte of a b-tree page: such files are left as they are. */
const MOST_PAGES = 0x0200_0000;

type Layout = { pageSize: number; usableSize: number };

/**
 * Writes zeros into the unused parts of pages. When SQLite splits or joins pages it copies rows, and leaves the old bytes
 * where nothing is any more, secure_delete or not; what is erased later would stay there (docs/decisions/0032).
 *
 * It writes to the file itself, which is safe because nobody else can at that moment: the write lock is held, and the log is empty,
 * so that no checkpoint has anything to write either. Nothing that is in use is touched, and what a crash leaves undone is done
 * later. Copies in the cache of this connection are let go of, or they would come back with the next change of their page.
 */
export class GapBlanker {
  readonly #path: string;
  /** Never closed while the process runs: that would let go of the locks that SQLite holds on the same file. */
  #file: number | undefined;
  /** The page that comes next; 0: none was looked at since the end was reached. */
  #next = 0;
  /** At first too: what a crash left undone is looked for. */
  #isDue = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** Something was written, also by others: there may be gaps again anywhere. */
  noteWrites(): void {
    this.#isDue = true;
  }

  get isDone(): boolean {
    return !this.#isDue && this.#next === 0;
  }

  /** Looks at a part of the file, and at the next one when it is called again. To be called when the log is empty. */
  run(connection: Connection): void {
    try {
      withoutWaiting(connection, () => connection.statement('begin immediate').run());
    } catch {
      // Another process is writing: the next time, then.
      return;
    }
    let found = 0;
    try {
      // Somebody may have written between that and this.
      if ((statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) found = this.#blank();
    } catch {
      // A disk that takes nothing, say. What is in use was not touched.
    } finally {
      connection.statement('rollback').run();
      if (found > 0) connection.database.exec('pragma shrink_memory');
    }
  }

  #blank(): number {
    this.#file ??= openSync(this.#path, 'r+');
    if (this.#next === 0) this.#isDue = false;
    const layout = readLayout(this.#file);
    const pages = layout ? Math.floor(fstatSync(this.#file).size / layout.pageSize) : 0;
    const from = this.#next;
    const end = Math.min(from + PAGES_AT_ONCE, pages);
    this.#next = end < pages ? end : 0;
    return layout && pages < MOST_PAGES ? blankPages(this.#file, layout, from, end) : 0;
  }
}

/** undefined: not a database yet, or one of a kind that is not made here. */
function readLayout(file: number): Layout | undefined {
  const header = Buffer.alloc(FILE_HEADER);
  if (readSync(file, header, 0, FILE_HEADER, 0) < FILE_HEADER) return undefined;
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const hasPointerMaps = header.readUInt32BE(52) !== 0;
  if (!header.toString('latin1').startsWith('SQLite format 3') || pageSize < 512 || hasPointerMaps) return undefined;
  return { pageSize, usableSize: pageSize - header.readUInt8(20) };
}

/** Of these pages, counted from 0; answers how many gaps there were with something in them. */
function blankPages(file: number, { pageSize, usableSize }: Layout, from: number, end: number): number {
  const buffer = Buffer.alloc(PAGES_READ * pageSize);
  const zeros = Buffer.alloc(pageSize);
  let found = 0;
  for (let first = from; first < end; first += PAGES_READ) {
    const count = Math.min(PAGES_READ, end - first);
    readSync(file, buffer, 0, count * pageSize, first * pageSize);
    for (let index = 0; index < count; index++) {
      const page = buffer.subarray(index * pageSize, index * pageSize + usableSize);
      for (const [start, stop] of gapsOf(page, first + index === 0 ? FILE_HEADER : 0)) {
        if (page.compare(zeros, 0, stop - start, start, stop) === 0) continue;
        writeSync(file, zeros, 0, stop - start, (first + index) * pageSize + start);
        found++;
      }
    }
  }
  if (found > 0) fdatasyncSync(file);
  return found;
}

/** What is unused in a page of a b-tree; nothing in any other, and in one that is not as it should be. */
function gapsOf(page: Buffer, header: number): [start: number, stop: number][] {
  const kind = page.readUInt8(header);
  if (kind !== 2 && kind !== 5 && kind !== 10 && kind !== 13) return [];
  const cells = page.readUInt16BE(header + 3);
  const content = page.readUInt16BE(header + 5) || 65_536;
  const pointers = header + (kind > 5 ? 8 : 12);
  const gap = pointers + 2 * cells;
  if (gap > content || content > page.length) return [];
  for (let at = pointers; at < gap; at += 2) {
    const cell = page.readUInt16BE(at);
    if (cell < content || cell >= page.length) return [];
  }
  const gaps: [number, number][] = content > gap ? [[gap, content]] : [];
  for (let block = page.readUInt16BE(header + 1); block !== 0; ) {
    if (block < content || block + 4 > page.length) return [];
    const [next, size] = [page.readUInt16BE(block), page.readUInt16BE(block + 2)];
    if (size < 4 || block + size > page.length || (next !== 0 && next <= block)) return [];
    // Its first four bytes say where the next one is, and how long it is.
    if (size > 4) gaps.push([block + 4, block + size]);
    block = next;
  }
  return gaps;
}
