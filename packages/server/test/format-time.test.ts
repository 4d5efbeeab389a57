import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTime } from '../src/time.ts';

test('a time is written as YYYY-MM-DD HH:MM:SS, regardless of the previous one', () => {
  const date = fc.date({ min: new Date(0), max: new Date('2999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.array(date, { minLength: 1 }), (dates) => {
      for (const each of dates) {
        expect(formatTime(each.getTime())).toBe(each.toISOString().slice(0, 19).replace('T', ' '));
      }
    }),
  );
});
