import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { demoLines } from '../../src/demo/make-demo.ts';

const demo = { clientId: '1_a', clientSecret: 's', ada: 'u', theme: { groupUid: 'g', keyUid: 'k' } };
const tryIt = /## Try it[\s\S]*?```sh\n([\s\S]*?)```/;

/**
 * zsh, the shell of macOS, runs a pasted # as a command, so the text after it must contain nothing special to a shell.
 */
test.each([
  ['npm start', () => demoLines('http://127.0.0.1:8080', demo)],
  ['README.md', async () => tryIt.exec(await readFile(`${import.meta.dirname}/../../../../README.md`, 'utf8'))?.[1]],
])('comments among the lines of %s are harmless in any shell', async (_, read) => {
  const lines = (await read())?.split('\n').map((line) => line.trim()) ?? [];
  const comments = lines.filter((line) => line.startsWith('#'));
  expect(comments.length).toBeGreaterThan(3);
  expect(comments.filter((line) => /['"`()[\]{};&|<>$*?!~\\]/.test(line))).toEqual([]);
  expect(lines.filter((line) => /\s#\s/.test(line))).toEqual([]);
});
