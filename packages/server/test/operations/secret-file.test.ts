import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeyring } from '../../src/domain/keyring.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { inThread } from '../cli/in-thread.ts';
import { endAll, serve } from './serve-process.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-secret-'));
  path = join(folder, 'innkeeper.db');
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);
const writeSecret = (text: string): void => {
  writeFileSync(`${path}.secret`, text);
  chmodSync(`${path}.secret`, 0o600);
};
const secretCheck = async (): Promise<string> => {
  const { stdout } = await run('doctor', '--json', '--port', '0');
  const checks = JSON.parse(stdout) as { check: string; ok: boolean; detail: string; remedy: string }[];
  return checks
    .filter(({ check, ok }) => check === 'secret' && !ok)
    .map(({ detail, remedy }) => `${detail} ${remedy}`)
    .join();
};

test('an empty or blank secret is rejected, from any source', async () => {
  for (const text of ['', ' \n\t\n']) {
    writeSecret(text);
    for (const args of [['--new'], ['--new', '--demo']]) {
      const refused = await serve({ settings: { databaseUrl: `sqlite:${path}` }, args, failing: true });
      expect(await refused.exited).not.toMatchObject({ code: 0 });
      expect(refused.stderr()).toContain(`INNKEEPER_SECRET is empty: ${path}.secret has no content.`);
      expect(refused.stderr()).toContain(`Delete ${path}.secret`);
    }
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  }
  const blank = await inThread(['app', 'list', '--database-url', `sqlite:${path}`], { INNKEEPER_SECRET: '   ' });
  expect(blank).toMatchObject({ code: 2, stderr: expect.stringContaining('INNKEEPER_SECRET is blank.') });
  rmSync(`${path}.secret`);
  expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
  writeSecret('');
  expect(await run('app', 'list')).toMatchObject({ code: 2, stderr: expect.stringContaining('Restore its content') });
  expect(await secretCheck()).toMatch(/INNKEEPER_SECRET is empty: .* Restore its content/);
});

test('a database encrypted without a secret is reported, not served, and can still be exported', async () => {
  const storage = await (await storageDriver(`sqlite:${path}`)).open();
  await storage.facts.settle('secret-check', createKeyring('').seal(Buffer.from('innkeeper')));
  await storage.close();
  writeSecret('');
  expect(await secretCheck()).toMatch(/encrypted without a secret.*innkeeper users export/);
  const refused = await serve({ settings: { databaseUrl: `sqlite:${path}` }, failing: true });
  expect(await refused.exited).toMatchObject({ code: 1 });
  expect(refused.stderr()).toContain('encrypted without a secret');
  expect(await run('app', 'list')).toMatchObject({ code: 0 });
});

test('a secret changed under a running service is saved beside it, and reported until restored', async () => {
  const server = await serve({ settings: { databaseUrl: `sqlite:${path}` } });
  const secret = readFileSync(`${path}.secret`, 'utf8');
  writeSecret('');
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  const mend = `mv ${path}.secret.recovered ${path}.secret`;
  const waiting = { timeout: 30_000, interval: 100 };
  await vi.waitFor(async () => expect((await readiness()).text).toContain(mend), waiting);
  expect((await readiness()).status).toBe(200);
  await vi.waitFor(
    () => expect(server.logs()).toContainEqual(expect.objectContaining({ problem: 'secret', level: 'warn' })),
    waiting,
  );
  expect(readFileSync(`${path}.secret`, 'utf8')).toBe('');
  expect(readFileSync(`${path}.secret.recovered`, 'utf8')).toBe(secret);
  expect(statSync(`${path}.secret.recovered`).mode & 0o777).toBe(0o600);
  expect(await secretCheck()).toContain(mend);
  writeSecret('another secret that is long enough 0123456789\n');
  expect(await run('app', 'list')).toMatchObject({ code: 2, stderr: expect.stringContaining(mend) });
  for (const text of ['', 'short', 'another secret that is long enough 0123456789']) {
    writeSecret(text);
    const refused = await serve({ settings: { databaseUrl: `sqlite:${path}` }, failing: true });
    expect(await refused.exited).not.toMatchObject({ code: 0 });
    expect(refused.stderr()).toContain(mend);
    expect(refused.stderr()).not.toMatch(/nothing else can decrypt|openssl/);
  }
  renameSync(`${path}.secret.recovered`, `${path}.secret`);
  await vi.waitFor(async () => expect((await readiness()).text).not.toContain('mv '), waiting);
  expect(existsSync(`${path}.secret.recovered`)).toBe(false);
  expect(await run('app', 'list')).toMatchObject({ code: 0 });
});
