import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeDatabase } from '../../src/cli/database-files.ts';
import { layOut, showAge, showDuration, showRoughly, visible } from '../../src/cli/output.ts';
import { confirmByTyping, mustAsk } from '../../src/cli/terminal.ts';

describe('a table', () => {
  test('aligns wide characters, emoji and styled text', () => {
    const rows = [
      ['ab', '|'],
      ['店', '|'],
      ['👩‍🚀', '|'],
      ['\u001b[31mé\u001b[39m', '|'],
    ];
    expect(layOut(rows, { gap: 1 })).toBe('ab |\n店 |\n👩‍🚀 |\n\u001b[31mé\u001b[39m  |');
  });

  test('wraps on a narrow terminal, and not without a terminal', () => {
    const rows = [['name', 'what people call the application, in so many words']];
    expect(layOut(rows, { indent: 2, lineWidth: 40 })).toBe(
      '  name   what people call the\n         application, in so many words',
    );
    expect(layOut(rows, { indent: 2 }).split('\n')).toHaveLength(1);
  });

  test('escapes control sequences', () => {
    expect(visible('a\u001b[2Jb\r\n\u202ec')).toBe('a\\u{1b}[2Jb\\u{d}\\u{a}\\u{202e}c');
    expect(visible('Ünïcode 店 👩‍🚀')).toBe('Ünïcode 店 👩‍🚀');
  });
});

describe('times', () => {
  test.each([
    [0, '0 seconds'],
    [60, '1 minute'],
    [5400, '1 hour 30 minutes'],
    [86_400, '24 hours'],
    [604_800, '7 days'],
  ])('%i seconds are %s', (seconds, text) => expect(showDuration(seconds)).toBe(text));

  test('are rounded where exact ones would not help', () => {
    expect(showRoughly(89.9 * 60_000)).toBe('89 minutes');
    expect(showRoughly(86_400_000 * 3 + 1)).toBe('3 days');
    expect(showAge(1500)).toBe('just now');
    expect(showAge(61_000)).toBe('61 seconds ago');
  });
});

test.each([
  ['a script', false, false, false],
  ['a terminal', true, true, true],
  ['a terminal with stderr in a file', true, false, /nothing was deleted/],
] as const)('whether to ask before deleting: %s', (_, input, errors, expected) => {
  for (const [stream, isTTY] of [
    [process.stdin, input],
    [process.stderr, errors],
  ] as const) {
    const before = Object.getOwnPropertyDescriptor(stream, 'isTTY');
    Object.defineProperty(stream, 'isTTY', { value: isTTY, configurable: true });
    onTestFinished(() => {
      Reflect.deleteProperty(stream, 'isTTY');
      if (before) Object.defineProperty(stream, 'isTTY', before);
    });
  }
  if (typeof expected === 'boolean') expect(mustAsk()).toBe(expected);
  else expect(() => mustAsk()).toThrow(expected);
});

test('a database is described without its password', () => {
  expect(describeDatabase('postgres://me:hunter2@db.example.com:5433/inn?sslmode=require&password=hunter2')).toBe(
    'PostgreSQL at db.example.com:5433/inn',
  );
});

describe('confirmation by typing the clientId', () => {
  const answer = async (typed: string | undefined) => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(typed);
    const yes = await confirmByTyping('1_abc', 'Type it: ', input, output);
    return { yes, prompt: output.read()?.toString() };
  };

  test('accepts only the clientId', async () => {
    expect(await answer('1_abc\n')).toEqual({ yes: true, prompt: 'Type it: ' });
    expect((await answer('y\n')).yes).toBe(false);
    expect((await answer('\n')).yes).toBe(false);
    expect((await answer(undefined)).yes).toBe(false);
  });
});
