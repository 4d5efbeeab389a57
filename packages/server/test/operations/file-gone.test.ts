import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { SECRET, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

/**
 * The service must stop once the path no longer leads to the file that it writes to: nothing it acknowledges would
 * last.
 */
describe('the database file under a running service', () => {
  let path: string;
  let application: NewApplication;
  let server: ServeProcess;
  beforeEach(async () => {
    path = scratchFile('db');
    application = await makeApplication(`sqlite:${path}`);
    server = await serve({ settings: { databaseUrl: `sqlite:${path}`, secret: SECRET, logLevel: 'info' } });
  });
  afterEach(endAll);

  async function create(): Promise<{ name: string; status: number; code: unknown; retry: string | null }> {
    const { clientId, clientSecret } = application;
    const name = uniqueName();
    const body = JSON.stringify({ clientId, clientSecret, clientUserId: name, clientUserName: 'Ada' });
    const answer = await fetch(`${server.url}/api/v2/app/create-user`, { method: 'POST', body });
    const { code } = (await answer.json()) as { code?: string };
    return { name, status: answer.status, code, retry: answer.headers.get('retry-after') };
  }
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  const reported = (level: string) => server.logs().filter((line) => line.problem === 'file' && line.level === level);
  const names = (file: string): string[] => {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('select client_user_id as name from users').all();
    const sound = database.prepare('pragma integrity_check').get();
    database.close();
    expect(sound).toEqual({ integrity_check: 'ok' });
    return rows.map(({ name }) => String(name));
  };
  async function expectStopped(happened: RegExp): Promise<void> {
    expect(await create()).toMatchObject({ status: 503, code: '9503', retry: '1' });
    await vi.waitFor(async () => expect(await readiness()).toMatchObject({ status: 503 }), { timeout: 5_000 });
    const { text } = await readiness();
    expect(text).toMatch(happened);
    expect(text).toMatch(/[Ss]top .* start/);
    await vi.waitFor(() => expect(reported('error')).toMatchObject([{ msg: expect.stringMatching(happened) }]), {
      timeout: 5_000,
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^innkeeper_problem\{kind="file"\} 1$/m);
    // After three polls of the change log, there is still only one log line about them.
    await sleep(1_300);
    const looks = server.logs().filter(({ msg }) => String(msg).startsWith('could not read changes'));
    expect(looks).toHaveLength(1);
  }

  test('failing requests are logged once a second, with their number and without a stack', async () => {
    rmSync(path);
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, create));
    expect(answers.every(({ status }) => status === 503)).toBe(true);
    const lines = () => server.logs().filter(({ msg }) => /^(request|further requests) failed$/.test(String(msg)));
    const reported = () => lines().reduce((sum, { count = 1 }) => sum + (count as number), 0);
    await vi.waitFor(() => expect(reported()).toBe(60), { timeout: 10_000 });
    expect(lines().length).toBeLessThanOrEqual(2 + (performance.now() - began) / 1000);
    for (const line of lines()) {
      expect(line).toMatchObject({ level: 'error', code: '9503', err: { message: expect.stringContaining(path) } });
      expect(JSON.stringify(line)).not.toContain('stack');
    }
  });

  test('deleted: nothing more is acknowledged, it is reported, and the next start creates nothing', async () => {
    expect(await create()).toMatchObject({ status: 200 });
    const { name } = await create();
    rmSync(path);
    await expectStopped(/was deleted while .* All data is still in the open file/);
    // Follow the advice of the message.
    const [, from = ''] = /Copy it first: cp (\S+) /.exec((await readiness()).text) ?? [];
    expect(from).toMatch(new RegExp(`^/proc/${server.pid}/fd/\\d+$`));
    copyFileSync(from, `${path}.rescued`);
    expect(names(`${path}.rescued`)).toContain(name);
    rmSync(`${path}.rescued`);
    server.signal('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(false);
    const again = await serve({ settings: { databaseUrl: `sqlite:${path}`, secret: SECRET }, failing: true });
    expect(await again.exited).toMatchObject({ code: 1 });
    expect(again.stderr()).toContain(path);
    expect(again.stderr()).toMatch(/does not exist.*it was deleted or moved.*\n.*serve --new/);
    expect(existsSync(path)).toBe(false);
  });

  test.each(['', '-wal'])(
    'deleted%s while a reader needs the log: the suggested fix rescues the log too',
    async (ending) => {
      const reader = new DatabaseSync(path, { readOnly: true });
      reader.exec('begin');
      reader.prepare('select count(*) from users').get();
      const { name } = await create();
      rmSync(path + ending);
      await expectStopped(/All data is still in the open files/);
      const steps = (await readiness()).text;
      const copies = [...(/Copy it first: (.*?)\. Only then stop/.exec(steps)?.[1]?.matchAll(/cp (\S+) (\S+)/g) ?? [])];
      expect(copies).toHaveLength(2);
      for (const [, from = '', to = ''] of copies) copyFileSync(from, to);
      reader.close();
      server.signal('SIGTERM');
      await server.exited;
      renameSync(`${path}.rescued`, path);
      renameSync(`${path}.rescued-wal`, `${path}-wal`);
      rmSync(`${path}-shm`, { force: true });
      server = await serve({ settings: { databaseUrl: `sqlite:${path}`, secret: SECRET, logLevel: 'info' } });
      expect(names(path)).toContain(name);
    },
  );

  test('moved away and back: it stops and resumes, and everything acknowledged is there', async () => {
    const before = await create();
    renameSync(path, `${path}.elsewhere`);
    await expectStopped(/was deleted or moved/);
    // Complete even without its log, which stays behind when a file is moved.
    expect(names(`${path}.elsewhere`)).toContain(before.name);
    renameSync(`${path}.elsewhere`, path);
    await vi.waitFor(async () => expect(await create()).toMatchObject({ status: 200 }), { timeout: 5_000 });
    expect((await readiness()).status).toBe(200);
    await vi.waitFor(() => expect(reported('info')).toHaveLength(1), { timeout: 5_000 });
    expect(names(path)).toContain(before.name);
  });

  test('replaced by a copy: the copy is not damaged, even after kill -9', async () => {
    const early = await create();
    server.signal('SIGTERM');
    await server.exited;
    copyFileSync(path, `${path}.copy`);
    server = await serve({ settings: { databaseUrl: `sqlite:${path}`, secret: SECRET, logLevel: 'info' } });
    for (let count = 0; count < 200; count++) expect(await create()).toMatchObject({ status: 200 });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    renameSync(path, `${path}.right`);
    renameSync(`${path}.copy`, path);
    await expectStopped(/was replaced by another file/);
    server.signal('SIGKILL');
    await server.exited;
    expect(names(`${path}.right`)).toHaveLength(201);
    expect(names(path)).toEqual([early.name]);
  });

  test('its log deleted: writes stop before they would be lost', async () => {
    const before = await create();
    rmSync(`${path}-wal`);
    await expectStopped(/-wal was deleted or moved/);
    server.signal('SIGKILL');
    await server.exited;
    expect(names(path)).toContain(before.name);
  });
});
