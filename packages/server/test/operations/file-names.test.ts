import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { SECRET, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

/** One file with several paths, and other changes to it under a running service. */
describe('the names of the database file', () => {
  let folder: string;
  let path: string;
  let application: NewApplication;
  let server: ServeProcess;
  beforeEach(async () => {
    folder = join(dirname(scratchFile('db')), uniqueName());
    mkdirSync(join(folder, 'one'), { recursive: true });
    path = join(folder, 'one', 'innkeeper.db');
    application = await makeApplication(`sqlite:${path}`);
  });
  afterEach(endAll);

  const start = async (file: string, failing = false): Promise<ServeProcess> =>
    serve({ settings: { databaseUrl: `sqlite:${file}`, secret: SECRET, logLevel: 'info' }, failing });
  async function create(): Promise<number> {
    const { clientId, clientSecret } = application;
    const body = JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' });
    return (await fetch(`${server.url}/api/v2/app/create-user`, { method: 'POST', body })).status;
  }
  async function expectReadiness(status: number, text: RegExp): Promise<void> {
    await vi.waitFor(
      async () => {
        const answer = await fetch(`${server.url}/readyz`);
        expect({ status: answer.status, text: await answer.text() }).toEqual({
          status,
          text: expect.stringMatching(text),
        });
      },
      { timeout: 15_000, interval: 100 },
    );
  }

  test.each(['a folder', 'the file'])('switching a symbolic link to %s stops the service', async (what) => {
    mkdirSync(join(folder, 'two'));
    const link = join(folder, 'data');
    const [target, other, file] =
      what === 'a folder' ? ['one', 'two', join(link, 'innkeeper.db')] : ['one/innkeeper.db', 'two/innkeeper.db', link];
    symlinkSync(target, link);
    copyFileSync(path, join(folder, 'two', 'innkeeper.db'));
    server = await start(file);
    expect(await create()).toBe(200);
    const turn = (to: string): void => {
      symlinkSync(to, `${link}.new`);
      renameSync(`${link}.new`, link);
    };
    turn(other);
    expect(await create()).toBe(503);
    await expectReadiness(503, /now leads to another file.*Point the link back.*or restart the service/);
    turn(target);
    await expectReadiness(200, /"ok"/);
    expect(await create()).toBe(200);
    rmSync(link);
    expect(await create()).toBe(503);
    await expectReadiness(503, /no longer leads to a file/);
  });

  test('a file with a second hard link is rejected, by either name', async () => {
    const second = join(folder, 'second.db');
    linkSync(path, second);
    for (const name of [path, second]) {
      server = await start(name, true);
      expect(await server.exited).toMatchObject({ code: 1 });
      expect(server.stderr()).toMatch(/has 2 names \(hard links\).*\n.*delete the other names/);
      expect(server.stderr()).toContain(`-samefile ${name}`);
      expect(existsSync(`${name}-wal`)).toBe(false);
    }
    rmSync(second);
    server = await start(path);
    expect(await create()).toBe(200);
    linkSync(path, second);
    await expectReadiness(200, /"kind":"hard-link".*the next start refuses the file/);
    expect(await create()).toBe(200);
    rmSync(second);
    await expectReadiness(200, /^\{"status":"ok"\}$/);
  });

  test('files that the service may no longer access are reported, and the next start says why', async () => {
    const options = { settings: { databaseUrl: `sqlite:${path}`, secret: SECRET }, asOwner: true };
    server = await serve(options);
    expect(await create()).toBe(200);
    for (const [name, mode] of [
      [path, 0o600],
      [`${path}-wal`, 0o600],
      [dirname(path), 0o755],
    ] as const) {
      chmodSync(name, 0o500);
      await expectReadiness(
        200,
        new RegExp(`"kind":"permissions","message":"The service.s user can no longer read and write ${name}.*chmod`),
      );
      expect(await create()).toBe(200);
      chmodSync(name, mode);
      await expectReadiness(200, /^\{"status":"ok"\}$/);
    }
    server.signal('SIGTERM');
    await server.exited;
    chmodSync(path, 0o400);
    const failing = await serve({ ...options, failing: true });
    expect(await failing.exited).toMatchObject({ code: 1 });
    expect(failing.stderr()).toMatch(/: permission denied\n.*its permissions/);
  });

  test('an emptied file accepts no more writes', async () => {
    server = await start(path);
    expect(await create()).toBe(200);
    truncateSync(path);
    expect(await create()).toBe(503);
    await expectReadiness(503, /was emptied.*restore a backup/);
  });

  test('a process that keeps the database locked is reported until it releases it', async () => {
    server = await start(path);
    const holder = new DatabaseSync(path);
    holder.exec('begin immediate');
    expect(await create()).toBe(503);
    await expectReadiness(200, /"read-only".*"kind":"lock".*hangs or was stopped/);
    await vi.waitFor(
      () => expect(server.logs().filter(({ problem }) => problem === 'lock')).toMatchObject([{ level: 'error' }]),
      { timeout: 5_000 },
    );
    holder.exec('rollback');
    holder.close();
    await vi.waitFor(async () => expect(await create()).toBe(200), { timeout: 15_000 });
    await expectReadiness(200, /^\{"status":"ok"\}$/);
  });
});
