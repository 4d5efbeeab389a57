import { isUtf8 } from 'node:buffer';
import type { FileLine } from '../domain/users/import-line.ts';

const NEWLINE = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of a byte stream, some at a time, numbered from 1. A line over `maxBytes` is skipped without being stored;
 * `onRead` gets the number of bytes of the lines returned so far.
 */
export async function* readLines(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<FileLine[]> {
  let line = 0;
  let total = 0;
  /** The start of a line whose end has not arrived yet. */
  let rest: Buffer = Buffer.alloc(0);
  /** That start is already too long: the rest of the line is skipped. */
  let passing = false;
  let first = true;

  const take = (whole: Buffer): FileLine[] => {
    // Almost always everything is valid UTF-8, and is decoded at once.
    const lines: FileLine[] = [];
    if (isUtf8(whole)) {
      for (const text of whole.toString('utf8').split('\n')) lines.push(readText(++line, text, maxBytes));
      return lines;
    }
    for (const part of splitBytes(whole)) {
      lines.push(isUtf8(part) ? readText(++line, part.toString('utf8'), maxBytes) : notUtf8(++line, part, maxBytes));
    }
    return lines;
  };

  for await (const chunk of bytes) {
    total += chunk.length;
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      rest = passing ? rest : Buffer.concat([rest, chunk]);
      if (rest.length > maxBytes + 2) {
        passing = true;
        rest = Buffer.alloc(0);
      }
      continue;
    }
    let whole = chunk.subarray(0, end);
    const lines: FileLine[] = [];
    if (passing) {
      const ended = chunk.indexOf(NEWLINE);
      lines.push({ line: ++line, unreadable: 'too long' });
      whole = ended === end ? Buffer.alloc(0) : chunk.subarray(ended + 1, end);
      if (ended !== end) lines.push(...take(whole));
    } else {
      whole = rest.length === 0 ? whole : Buffer.concat([rest, whole]);
      if (first && whole.subarray(0, 3).equals(BOM)) whole = whole.subarray(3);
      lines.push(...take(whole));
    }
    first = false;
    passing = false;
    // Copied: the chunk may be large, and its memory is reused.
    rest = Buffer.from(chunk.subarray(end + 1));
    onRead(total - rest.length);
    yield lines;
  }
  if (passing) yield [{ line: ++line, unreadable: 'too long' }];
  else if (rest.length > 0) {
    if (first && rest.subarray(0, 3).equals(BOM)) rest = rest.subarray(3);
    yield take(rest);
  }
  onRead(total);
}

function readText(line: number, text: string, maxBytes: number): FileLine {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) return { line, unreadable: 'too long' };
  return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
}

function notUtf8(line: number, bytes: Buffer, maxBytes: number): FileLine {
  return { line, unreadable: bytes.length > maxBytes ? 'too long' : 'not UTF-8' };
}

function splitBytes(whole: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = whole.indexOf(NEWLINE); end !== -1; end = whole.indexOf(NEWLINE, start)) {
    parts.push(whole.subarray(start, end));
    start = end + 1;
  }
  return [...parts, whole.subarray(start)];
}
