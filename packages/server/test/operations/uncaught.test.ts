import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { databases } from '../databases.ts';
import { SECRET, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

const [sqlite] = databases as [(typeof databases)[0]];
const DATABASE_PASSWORD = 'pass-of-the-database';
const WAIT = { timeout: 30_000 };

/** Preloaded into the service and its threads: runs the test's code at the signal. */
const atSignal = ({ main = '', thread = '' }): string[] => {
  const script = `import { isMainThread, BroadcastChannel } from 'node:worker_threads';
    const channel = new BroadcastChannel('signal');
    channel.unref();
    if (isMainThread) process.on('SIGUSR2', () => { channel.postMessage('now'); ${main} });
    else channel.onmessage = () => { ${thread} };`;
  const path = scratchFile('mjs');
  writeFileSync(path, script);
  return ['--import', path];
};

describe('an uncaught error', () => {
  afterEach(endAll);

  const SETTINGS = { secret: SECRET, logLevel: 'silent' };

  test.each([
    ['thrown', `throw new Error('defect at postgres://u:${DATABASE_PASSWORD}@h/d');`, 'uncaughtException'],
    [
      'a promise',
      `void Promise.reject(new Error('defect at postgres://u:${DATABASE_PASSWORD}@h/d'));`,
      'unhandledRejection',
    ],
  ])('%s: one fatal line at any level, secrets masked, and exit 1', async (_, main, origin) => {
    const settings = { ...SETTINGS, databaseUrl: await sqlite.fresh() };
    const server = await serve({ settings, nodeArgs: atSignal({ main }) });
    server.signal('SIGUSR2');
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.logs()).toEqual([
      {
        level: 'fatal',
        time: expect.any(String),
        pid: server.pid,
        err: {
          type: 'Error',
          message: 'defect at postgres://u:[masked]@h/d',
          stack: expect.stringContaining('\n    at '),
        },
        origin,
        msg: 'uncaught error: the process ends',
      },
    ]);
    expect(server.stdout() + server.stderr()).not.toContain(DATABASE_PASSWORD);
    expect(server.stderr()).toBe('');
  });

  test.each([
    ["throw 'a text';", "string thrown: 'a text'"],
    ['throw undefined;', 'undefined thrown: undefined'],
    ['throw Object.create(null);', 'object thrown'],
  ])('%s is logged too', async (main, message) => {
    const settings = { ...SETTINGS, databaseUrl: await sqlite.fresh() };
    const server = await serve({ settings, nodeArgs: atSignal({ main }) });
    server.signal('SIGUSR2');
    expect((await server.exited).code).toBe(1);
    expect(server.logs()).toMatchObject([{ level: 'fatal', err: { message: expect.stringContaining(message) } }]);
  });

  test('with a log that cannot be written, the process still ends', async () => {
    const settings = { ...SETTINGS, databaseUrl: await sqlite.fresh() };
    const server = await serve({ settings, stdout: '/dev/full', nodeArgs: atSignal({ main: 'throw new Error();' }) });
    server.signal('SIGUSR2');
    expect((await server.exited).code).toBe(1);
  });

  test('in the parent process, it ends the workers too', async () => {
    const settings = { ...SETTINGS, databaseUrl: await sqlite.fresh(), workers: '2' };
    const server = await serve({ settings, nodeArgs: atSignal({ main: "throw new Error('a defect');" }) });
    server.signal('SIGUSR2');
    expect((await server.exited).code).toBe(1);
    expect(server.logs()).toMatchObject([{ level: 'fatal', pid: server.pid, err: { message: 'a defect' } }]);
    await vi.waitFor(() => expect(fetch(`${server.url}/livez`)).rejects.toThrow(), WAIT);
  });

  test.each(["throw new Error('a defect');", "void Promise.reject(new Error('a defect'));"])(
    'in a thread of SQLite, by %s: another thread takes over',
    async (thread) => {
      const databaseUrl = await sqlite.fresh();
      const application = await makeApplication(databaseUrl);
      const server = await serve({ settings: { ...SETTINGS, databaseUrl }, nodeArgs: atSignal({ thread }) });
      expect((await createUser(server, application)).status).toBe(200);
      server.signal('SIGUSR2');
      // Rejected for a moment, which shows that the signal has arrived.
      await vi.waitFor(async () => expect((await createUser(server, application)).status).toBe(503), WAIT);
      await vi.waitFor(async () => expect((await createUser(server, application)).status).toBe(200), WAIT);
      server.signal('SIGTERM');
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );
});

function createUser(server: ServeProcess, { clientId, clientSecret }: NewApplication): Promise<Response> {
  const body = JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Name' });
  return fetch(`${server.url}/api/v2/app/create-user`, { method: 'POST', body });
}
