import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFile } from './scratch-file.ts';

const ROOT = join(import.meta.dirname, '../../..');
const lint = (...files: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lint-words.js', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, lines: stderr.trim().split('\n').filter(Boolean) };
};

test('text for people contains none of the words to avoid', () => {
  expect(lint()).toEqual({ status: 0, lines: [] });
}, 60_000);

test.each([
  [
    'planted.json',
    '{\n  "goodUntil": "Expires",\n  "text": "Whoever has it is told."\n}\n',
    ['3 "Whoever"', '3 "is told"'],
  ],
  ['planted.md', 'Begin anew.\n```\nwhoever\n```\nThe `whatever` flag.\n', ['1 "anew"']],
  [
    'planted.ts',
    "// whoever\nexport const whoever = 'no guest';\nexport const text = `Publish all the same`;\n",
    ['1 "whoever"', '2 "guest"', '3 "all the same"'],
  ],
])('a planted word is found in %s, outside of code', (name, text, expected) => {
  const file = scratchFile(name);
  writeFileSync(file, text);
  const { status, lines } = lint(file);
  expect(status).toBe(1);
  expect(lines.map((line) => /:(\d+ "[^"]+")/.exec(line)?.[1])).toEqual(expected);
});
