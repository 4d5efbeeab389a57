import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SECRET } from '../http/start.ts';
import { CATALOG, catalogFolder } from './catalog-file.ts';
import { inThread } from './in-thread.ts';
import { bin, runInnkeeper } from './run-innkeeper.ts';

const { folder, save, original } = catalogFolder();

describe('innkeeper catalog, errors', () => {
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'wrong.db')}`, INNKEEPER_SECRET: SECRET };
  const run = (...args: string[]) => inThread(['catalog', ...args], settings);
  beforeAll(() => inThread(['migrate'], settings));

  test('a broken file is reported by line and column, with exit code 1, before connecting to the database', async () => {
    const file = save('broken.yaml', CATALOG.replace('type: boolean', 'type: bool').replace('max: 10', 'max: ten'));
    for (const command of ['plan', 'apply']) {
      const ending = await run(command, file, '--app', '1_a');
      expect(ending).toMatchObject({ code: 1, stdout: '' });
      expect(ending.stderr).toContain(
        `${file}:9:15 groups[0].keys[0].type must be one of boolean, string, integer, number, date`,
      );
    }
    const json = JSON.parse((await run('plan', file, '--app', '1_a', '--json')).stderr);
    expect(json.error.problems).toEqual([
      expect.stringContaining(':9:15 groups[0].keys[0].type'),
      expect.stringContaining('groups[0].keys[3].constraint.max must be a whole number'),
    ]);
  });

  test.each([
    ['no file', ['plan', '--app', '1_a'], 1, "missing required argument 'FILE'"],
    ['no application', ['plan', original], 1, "required option '--app <ID>' not specified"],
    ['an unknown flag', ['plan', original, '--app', '1_a', '--jsn'], 1, "unknown option '--jsn'"],
    ['a setting', ['plan', original, '--app', '1_a', '--database-url', 'mysql://x'], 1, 'it must be sqlite:PATH'],
    ['an unknown application', ['plan', original, '--app', '1_a'], 1, 'no application with the clientId "1_a"'],
    ['a missing file', ['plan', '/nowhere', '--app', '1_a'], 1, '/nowhere: does not exist.'],
    ['a folder', ['apply', folder, '--app', '1_a'], 2, 'is a folder, not a file.'],
    ['no application to apply to', ['apply', original], 2, "required option '--app <ID>' not specified"],
    ['a format', ['export', '--app', '1_a', '--format', 'xml'], 2, 'Allowed choices are yaml, json, csv, xliff.'],
    [
      'a language without texts',
      ['export', '--app', '1_a', '--language', 'de'],
      2,
      '--language requires --format csv or xliff',
    ],
    ['a revision in words', ['show', 'last', '--app', '1_a'], 2, 'It must be a whole number.'],
  ])('%s', async (_, args, code, message) => {
    expect(await run(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('a socket in place of the file', async () => {
    const path = join(folder, 'socket');
    const server = createServer().listen(path);
    await once(server, 'listening');
    const ending = await run('plan', path, '--app', '1_a', '--json');
    server.close();
    expect(ending).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(ending.stderr).error).toEqual({
      message: `${path}: is a socket, not a file.`,
      remedy: 'Choose a file, or - for stdin.',
    });
  });

  test('a file that is not UTF-8', async () => {
    const file = save('latin1.yaml', Buffer.from(CATALOG, 'latin1'));
    expect(await run('plan', file, '--app', '1_a')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not UTF-8'),
    });
  });

  test('names in a file cannot send control sequences to the terminal', async () => {
    const file = save('escape.yaml', CATALOG.replace('name: ratio', 'name: "\\e[31m"'));
    const { stderr } = await run('plan', file, '--app', '1_a');
    expect(stderr).toContain('groups[0].keys[2].name contains an invalid character');
    expect(stderr).not.toContain('\u001b');
  });

  test('- reads from stdin', async () => {
    const child = spawn(process.execPath, [bin, 'catalog', 'plan', '-', '--app', '1_a'], {
      env: { ...process.env, ...settings },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    child.stdin.end('{"languages": 1}');
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    expect(stderr).toContain('stdin:1:15 languages must be a list');
  });
});

describe('innkeeper catalog: help and schema', () => {
  const COMMANDS = ['plan', 'apply', 'export', 'import-translations', 'revisions', 'show', 'diff', 'restore', 'schema'];

  test('every command has --json and examples, and plan its exit codes', async () => {
    const [whole, ...each] = await Promise.all([
      inThread(['catalog', '--help']),
      ...COMMANDS.map((command) => inThread(['catalog', command, '--help'])),
    ]);
    for (const [index, command] of COMMANDS.entries()) {
      expect(whole?.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
      expect(each[index]).toMatchObject({ code: 0, stderr: '' });
      expect(each[index]?.stdout).toContain('--json');
      expect(each[index]?.stdout).toContain(`$ innkeeper catalog ${command}`);
    }
    expect(each[0]?.stdout.replace(/\s+/g, ' ')).toContain(
      'Exit codes: 0 no changes, 1 error, 2 changes, 3 breaking changes.',
    );
  });

  test('schema prints docs/catalog.schema.json', async () => {
    const { code, stdout } = await runInnkeeper(['catalog', 'schema']);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(import.meta.dirname, '../../../../docs/catalog.schema.json'), 'utf8'));
  });
});
