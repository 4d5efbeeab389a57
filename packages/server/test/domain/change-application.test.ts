import { expect, test } from 'vitest';
import { applyChange, readChange } from '../../src/domain/applications/change-application.ts';

test('every problem is told at once', () => {
  const read = readChange([
    ['name', ' '],
    ['accessTokenTtl', '1h'],
    ['specialTokenTtl', 'soon'],
    ['toString', 'x'],
    ['accessTokenTtl', '2h'],
  ]);
  expect(read).toEqual({
    problems: [
      'name is blank.',
      expect.stringMatching(/^specialTokenTtl must be a number of seconds.*"soon"/),
      '"toString" is not a setting of an application.',
      'accessTokenTtl is given twice.',
    ],
  });
});

test('what is set to its default, or reset, is no longer stored', () => {
  const read = readChange([
    ['accessTokenTtl', ''],
    ['specialTokenTtl', '10m'],
    ['allowedOrigins', 'https://a.example'],
  ]);
  if ('problems' in read) throw new Error(read.problems.join(' '));
  const stored = { accessTokenTtl: 60, specialTokenTtl: 60, saveByUserUid: 'off', fromLater: 1 };
  expect(applyChange(stored, read.change)).toEqual({
    saveByUserUid: 'off',
    fromLater: 1,
    allowedOrigins: ['https://a.example'],
  });
  expect(stored).toHaveProperty('accessTokenTtl', 60);
});
