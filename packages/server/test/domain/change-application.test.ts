import { expect, test } from 'vitest';
import { readChange, toUpdate } from '../../src/domain/applications/settings.ts';

test('every problem is reported at once', () => {
  const read = readChange([
    ['name', ' '],
    ['accessTokenTtl', '1h'],
    ['specialTokenTtl', 'soon'],
    ['toString', 'x'],
    ['accessTokenTtl', '2h'],
  ]);
  expect(read).toEqual({
    problems: [
      { field: 'name', message: 'is blank' },
      { field: 'specialTokenTtl', message: expect.stringMatching(/^must be a number with s, m, h or d.*"soon"/) },
      { field: 'toString', message: 'is not a setting of an application' },
      { field: 'accessTokenTtl', message: 'is given twice' },
    ],
  });
});

test('a setting at its default, or reset, is not stored', () => {
  const read = readChange([
    ['accessTokenTtl', ''],
    ['specialTokenTtl', '10m'],
    ['allowedOrigins', 'https://a.example'],
  ]);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  expect(toUpdate(read.change)).toEqual({
    set: { allowedOrigins: ['https://a.example'] },
    reset: ['specialTokenTtl', 'accessTokenTtl'],
  });
});
