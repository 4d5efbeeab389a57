import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { inThread } from './in-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'innkeeper-missing-'));
const path = join(folder, 'deeper/mistyped.db');
const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => expect(readdirSync(folder)).toEqual([]));

const COMMANDS = [
  ...['app list', 'app show 1_a', 'app set 1_a name=x', 'app delete 1_a --yes', 'app rotate-secret 1_a'],
  ...['users export --app 1_a', 'catalog export --app 1_a', 'catalog revisions --app 1_a', 'token list', 'admin list'],
];

test('a path that leads nowhere is reported, and nothing is created there', async () => {
  for (const command of COMMANDS) {
    const { code, stdout, stderr } = await run(...command.split(' '));
    expect([command, code, stdout]).toEqual([command, 2, '']);
    expect(stderr).toContain(`no database at ${path}.`);
    expect(stderr).toMatch(/→ .*innkeeper migrate, innkeeper app create, or npm start/);
  }
  const reported = await run('app', 'list', '--json');
  expect(JSON.parse(reported.stderr)).toMatchObject({ error: { message: expect.stringContaining(path) } });
  for (const [command, code] of [
    ['doctor', 1],
    ['migrate --check', 1],
  ] as const) {
    expect((await run(...command.split(' '))).code).toBe(code);
  }
});

test('a command that creates a database says so once on stderr; with --json it says nothing', async () => {
  const first = await run('app', 'create', '--name', 'One');
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^innkeeper: created a new database, SQLite at .*\n$/),
  });
  expect((await run('app', 'create', '--name', 'Two')).stderr).toBe('');
  expect((await run('app', 'list')).stdout).toContain('Two');
  rmSync(join(folder, 'deeper'), { recursive: true });
  expect(await run('app', 'create', '--name', 'One', '--json')).toMatchObject({ code: 0, stderr: '' });
  rmSync(join(folder, 'deeper'), { recursive: true });
});
