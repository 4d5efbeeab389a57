import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inThread } from './in-thread.ts';

let folder: string;
let path: string;
let app: string;
const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-output-'));
  path = join(folder, 'innkeeper.db');
  app = JSON.parse((await run('app', 'create', '--name', 'One', '--json')).stdout).clientId;
});
afterEach(() => rmSync(folder, { recursive: true }));

test('no command writes its output over the database, its log or its secret', async () => {
  const users = join(folder, 'users.ndjson');
  writeFileSync(users, 'no JSON\n');
  const link = join(folder, 'link');
  symlinkSync(path, link);
  const secret = readFileSync(`${path}.secret`, 'utf8');
  for (const file of [path, link, `${path}-wal`, `${path}.secret`]) {
    for (const args of [
      ['catalog', 'types', '--app', app, '--out', file],
      ['users', 'export', '--app', app, '--output', file],
      ['users', 'import', users, '--app', app, '--rejects', file],
      ['backup', file, '--force'],
    ]) {
      expect([args, await run(...args)]).toEqual([args, expect.objectContaining({ code: 2 })]);
    }
  }
  expect(readFileSync(`${path}.secret`, 'utf8')).toBe(secret);
  expect((await run('app', 'list')).stdout).toContain('One');
});

test('other files are replaced', async () => {
  const out = join(folder, 'types.ts');
  for (let times = 0; times < 2; times++) {
    expect(await run('catalog', 'types', '--app', app, '--out', out)).toMatchObject({ code: 0 });
  }
});
