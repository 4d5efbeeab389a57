import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFile } from './scratch-file.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Only checks the linter itself: checking our sources takes many seconds and is part of `npm run lint`. */
const lint = (...files: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lint-patterns.js', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, lines: stderr.trim().split('\n').filter(Boolean) };
};

test('a pattern or call with a worse than linear worst case is found, wherever it is written', () => {
  const file = scratchFile('planted.ts');
  const planted = [
    String.raw`export const split = (text: string) => text.split(/\s*;\s*/);`,
    String.raw`export const jwt = /\beyJ[\w-]{10,}\.[\w-]+\.[\w-]*/g;`,
    String.raw`export const password = /(?<=:\/\/[^\s:/@]*:)[^\s@]+(?=@)/;`,
    "export const made = new RegExp('(a+)+$');",
    "export const called = RegExp('(a|a)*b', 'i');",
    "export const composed = (text: string) => text.trim().normalize('NFC');",
    String.raw`export const fine = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i;`,
  ];
  writeFileSync(file, planted.join('\n'));
  const { status, lines } = lint(file);
  expect(status).toBe(1);
  expect(lines.map((line) => /\.ts:(\d+) /.exec(line)?.[1])).toEqual(['1', '2', '3', '4', '5', '6']);
}, 120_000);
