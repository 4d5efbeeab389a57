import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, statSync, truncateSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { sendUnknownPaths } from './send-unknown-paths.ts';
import { endAll, type ServeOptions, type ServeProcess, serve } from './serve-process.ts';

const [sqlite] = databases as [(typeof databases)[0]];
const WAIT = { timeout: 30_000, interval: 20 };
/** More than the buffer can hold. */
const MANY = 10_000;

type Line = Record<string, unknown>;

const LARGEST_KIB = 64;

describe('a log that cannot be written', () => {
  afterEach(endAll);

  const start = async (options: ServeOptions): Promise<ServeProcess> =>
    serve({ ...options, settings: { databaseUrl: await sqlite.fresh(), secret: SECRET, ...options.settings } });

  test('a stopped reader: lines wait, then are dropped, counted and reported, in order', async () => {
    const fifo = makeFifo();
    const server = await start({ stdout: fifo.path });
    const answered = await sendUnknownPaths(server.port, MANY);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    const dropped = await droppedLines(server);
    expect(dropped).toBeGreaterThan(0);

    fifo.follow();
    const report = await vi.waitFor(() => {
      const found = fifo.lines().find(({ droppedLines }) => droppedLines !== undefined);
      if (!found) throw new Error('no report yet');
      return found;
    }, WAIT);
    expect(report).toMatchObject({
      level: 'warn',
      droppedLines: dropped,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      error: 'EAGAIN',
      msg: `${dropped} log lines were dropped: the log could not be written`,
    });
    expect(await sendUnknownPaths(server.port, 1, MANY)).toEqual([MANY]);
    await vi.waitFor(() => expect(requestNumbers(fifo.lines()).at(-1)).toBe(MANY), WAIT);
    // Only the dropped lines that were counted are missing, and they are reported once.
    expect(requestNumbers(fifo.lines())).toEqual([...answered.slice(0, -dropped), MANY]);
    expect(fifo.lines().filter(({ droppedLines }) => droppedLines !== undefined)).toHaveLength(1);
    expect(await droppedLines(server)).toBe(dropped);
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('a stopped reader does not delay the shutdown', async () => {
    const fifo = makeFifo();
    const server = await start({ stdout: fifo.path });
    await sendUnknownPaths(server.port, 1_000);
    server.signal('SIGTERM');
    // A shutdown that takes longer than 9.5 s exits with 1.
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('a reader that disappears: the service continues, and another reader gets the lines', async () => {
    const fifo = makeFifo();
    const server = await start({ stdout: fifo.path });
    fifo.close();
    const answered = await sendUnknownPaths(server.port, 100);
    // By then, the server has tried to write the lines.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    fifo.open();
    fifo.follow();
    await vi.waitFor(() => expect(requestNumbers(fifo.lines())).toEqual(answered), WAIT);
  });

  test('a socket whose other end closes, like journald', async () => {
    // A "pipe" of spawn is really a socket.
    const server = await start({});
    server.closeStdout();
    await sendUnknownPaths(server.port, 1_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    server.signal('SIGTERM');
    expect((await server.exited).code).toBe(0);
  });

  test('a file that cannot grow, until there is room again', async () => {
    const path = scratchFile('log');
    // The size limit also applies to database files, so this uses PostgreSQL.
    const [, postgres] = databases as [unknown, (typeof databases)[0]];
    const settings = { databaseUrl: await postgres.fresh() };
    const server = await start({ settings, stdout: path, largestFile: LARGEST_KIB });
    const answered = await sendUnknownPaths(server.port, MANY);
    const dropped = await droppedLines(server);
    expect(dropped).toBeGreaterThan(0);
    let text = '';
    // Copied and truncated like logrotate, but only while it is full: lines written between the two steps would be
    // lost.
    let whole: string[] = [];
    await vi.waitFor(() => {
      const isFull = statSync(path).size === LARGEST_KIB * 1024;
      const read = readFileSync(path, 'utf8');
      if (isFull) {
        text += read;
        truncateSync(path);
      }
      whole = (isFull ? text : text + read).split('\n').slice(0, -1);
      expect(JSON.parse(whole.at(-1) ?? '{}')).toMatchObject({ droppedLines: dropped, error: 'EFBIG' });
    }, WAIT);
    const lines = whole.map((line) => JSON.parse(line) as Line);
    expect(requestNumbers(lines)).toEqual(answered.slice(0, -dropped));
  });

  test.each(['1', '2'])('a disk that is full from the start, with %s worker(s)', async (workers) => {
    const server = await start({ stdout: '/dev/full', settings: { workers } });
    await sendUnknownPaths(server.port, MANY);
    // From all workers.
    const dropped = await vi.waitFor(async () => {
      const count = await droppedLines(server);
      expect(count).toBeGreaterThan(0);
      return count;
    }, WAIT);
    expect(dropped).toBeLessThan(MANY);
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toBe('');
  });
});

function requestNumbers(lines: readonly Line[]): number[] {
  return lines.flatMap(({ reqId }) => (typeof reqId === 'string' ? [Number(reqId.split('-')[1])] : []));
}

async function droppedLines(server: ServeProcess): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^innkeeper_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}

/** A named pipe whose reader only reads after `follow`. */
function makeFifo() {
  const path = scratchFile('fifo');
  execFileSync('mkfifo', [path]);
  const open = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let fd = open();
  let text = '';
  let isFollowed = false;
  const readAll = (): void => {
    const piece = Buffer.alloc(65_536);
    for (;;) {
      try {
        const length = readSync(fd, piece);
        if (length === 0) return;
        text += piece.toString('utf8', 0, length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
        throw error;
      }
    }
  };
  return {
    path,
    open() {
      fd = open();
    },
    close: () => closeSync(fd),
    follow() {
      isFollowed = true;
    },
    /** The complete lines so far. */
    lines(): Line[] {
      if (isFollowed) readAll();
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line);
    },
  };
}
