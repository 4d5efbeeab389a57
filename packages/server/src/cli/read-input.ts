import { isUtf8 } from 'node:buffer';
import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ParsedFile } from '../domain/catalog/parse-file.ts';
import type { PlacedProblem } from '../domain/catalog/source.ts';
import type { FileLine } from '../domain/users/import-line.ts';
import { Failure, fileProblem, UsageError } from './failure.ts';
import { counted, visible } from './output.ts';

export type Input = { name: string; text: string };

/** Far more than any file here needs. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The text of a file, or of stdin for `-`. */
export async function readInput(file: string): Promise<Input> {
  const name = file === '-' ? 'stdin' : file;
  const bytes = await readBytes(file);
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    throw new Failure(`${visible(name)} is not UTF-8.`, { remedy: 'Save it as UTF-8 and try again.' });
  }
}

export async function readBytes(file: string): Promise<Buffer> {
  const name = file === '-' ? 'stdin' : file;
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Counted while reading: the size of a pipe is unknown.
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) {
        const message = `${visible(name)} is larger than ${MAX_BYTES / 1024 / 1024} MiB.`;
        throw new Failure(message, { remedy: 'Check that it is the right file.' });
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`${visible(name)}: ${problem}.`, { remedy: 'Choose a file, or - for stdin.' });
  }
}

/**
 * The definition in a catalog file; all of its problems are reported at once, by line and column. If nothing else is
 * wrong, names that only an existing catalog can have are left to the caller.
 */
export async function readCatalogFile(file: string): Promise<Extract<ParsedFile, { definition: unknown }>> {
  const input = await readInput(file);
  const { parseCatalogFile } = await import('../domain/catalog/parse-file.ts');
  const strictly = parseCatalogFile(input.text, input.name);
  if (!('problems' in strictly)) return strictly;
  const parsed = parseCatalogFile(input.text, input.name, { names: 'any', hasLanguages: false });
  if ('problems' in parsed) throw await brokenFile(input.name, strictly.problems);
  return parsed;
}

async function brokenFile(name: string, problems: readonly PlacedProblem[]): Promise<Failure> {
  const { showProblem } = await import('../domain/catalog/source.ts');
  return new Failure(`${visible(name)} is invalid: ${counted(problems.length, 'problem')}.`, {
    problems: problems.map((problem) => visible(showProblem(name, problem))),
  });
}

const CHUNK = 256 * 1024;

/** A file to read from start to end, or standard input. */
export type OpenInput = Disposable & {
  /** undefined if unknown, as for a pipe. */
  size: number | undefined;
  identity: { dev: number; ino: number };
  /** Ends without an error if the signal stops it. */
  bytes(signal: AbortSignal): AsyncGenerator<Buffer>;
  stop(): void;
};

export async function openInput(file: string): Promise<OpenInput> {
  const { stream, stats } = file === '-' ? { stream: process.stdin, stats: fstatSync(0) } : await openFile(file);
  return {
    size: stats.isFile() ? stats.size : undefined,
    identity: { dev: stats.dev, ino: stats.ino },
    async *bytes(signal) {
      try {
        yield* stream as AsyncIterable<Buffer>;
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    stop: () => stream.destroy(),
    [Symbol.dispose]: () => stream.destroy(),
  };
}

async function openFile(file: string): Promise<{ stream: Readable; stats: Stats }> {
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isDirectory()) return { stream: handle.createReadStream({ highWaterMark: CHUNK }), stats };
    await handle.close();
    throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`${file}: ${problem}.`, { remedy: 'Choose an NDJSON file, or - for stdin.' });
  }
}

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
  let skipping = false;
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
      rest = skipping ? rest : Buffer.concat([rest, chunk]);
      if (rest.length > maxBytes + 2) {
        skipping = true;
        rest = Buffer.alloc(0);
      }
      continue;
    }
    let whole = chunk.subarray(0, end);
    const lines: FileLine[] = [];
    if (skipping) {
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
    skipping = false;
    // Copied: the chunk may be large, and its memory is reused.
    rest = Buffer.from(chunk.subarray(end + 1));
    onRead(total - rest.length);
    yield lines;
  }
  if (skipping) yield [{ line: ++line, unreadable: 'too long' }];
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
