import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inThread } from './in-thread.ts';
import { bin, commandLine } from './run-innkeeper.ts';

describe('innkeeper users, usage errors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-users-misuse-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const cli = commandLine(`sqlite:${join(folder, 'innkeeper.db')}`, inThread);
  const file = join(folder, 'users.ndjson');
  writeFileSync(file, `${JSON.stringify({ clientUserId: 'user-1@example.com', clientUserName: 'User number 1' })}\n`);
  beforeAll(() => cli.json('migrate'));

  test.each([
    ['no file', ['import', '--app', '1_a'], 2, "missing required argument 'FILE'"],
    ['no application', ['import', file], 2, "required option '--app <ID>'"],
    ['a missing file', ['import', join(folder, 'none'), '--app', '1_a'], 2, 'none: does not exist.'],
    ['a folder', ['import', folder, '--app', '1_a'], 2, 'is a folder'],
    ['--update with --resume', ['import', file, '--app', '1_a', '--update', '--resume'], 2, 'cannot be combined'],
    ['rejects over the file', ['import', file, '--app', '1_a', '--rejects', file], 2, 'is the input file'],
    ['an unknown application', ['import', file, '--app', '1_a'], 1, 'no application with the clientId'],
    ['an export of an unknown application', ['export', '--app', '1_a'], 1, 'no application with the clientId'],
  ])('%s', async (_, args, code, message) => {
    const ending = await cli.run('users', ...args);
    expect(ending).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(ending.stderr).not.toMatch(/\n {4}at /);
    expect(readFileSync(file, 'utf8')).not.toBe('');
  });

  test('an output or rejects file that cannot be written is a usage error', async () => {
    const { clientId } = await cli.json('app', 'create', '--name', 'A');
    const nowhere = join(folder, 'no', 'where');
    const [output, rejects] = await Promise.all([
      cli.run('users', 'export', '--app', clientId, '--output', nowhere),
      cli.run('users', 'import', file, '--app', clientId, '--rejects', nowhere),
    ]);
    expect(output).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
    expect(rejects).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
  });

  test('an output keeps its kind: a pipe, a link to a file, a dangling link', async () => {
    const { clientId } = await cli.json('app', 'create', '--name', 'Outputs');
    const user = { clientUserId: 'one', clientUserName: 'One' };
    const one = join(folder, 'one.ndjson');
    writeFileSync(one, `${JSON.stringify(user)}\n`);
    await cli.json('users', 'import', one, '--app', clientId);
    const [pipe, target, link, dangling] = ['pipe', 'target', 'link', 'dangling'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(target, 'old');
    symlinkSync('target', link);
    symlinkSync('later', dangling);
    const exportTo = (output: string) => cli.json('users', 'export', '--app', clientId, '--output', output);
    const [read] = await Promise.all([readFile(pipe, 'utf8'), ...[pipe, link, dangling].map(exportTo)]);
    expect(JSON.parse(read)).toMatchObject(user);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    for (const [from, to] of [
      [link, target],
      [dangling, join(folder, 'later')],
    ] as const) {
      expect(lstatSync(from).isSymbolicLink()).toBe(true);
      expect(readFileSync(to, 'utf8')).toBe(read);
    }
  });

  test('a stdout that cannot be written to is reported in words', async () => {
    // Opened read-only: writing fails, as on a full disk.
    const stdio = ['ignore', openSync(file, 'r'), 'pipe'] as const;
    const child = spawn(process.execPath, [bin, 'users', '--help'], { stdio: [...stdio] });
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^innkeeper: the output could not be written: .*\n {2}→ If the command changes something, .*\n$/,
    );
  });
});
