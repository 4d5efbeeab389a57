import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from 'vitest';
import { isUuid, orderedUuid } from '../src/uuid.ts';

test('ordered UUIDs stay in order when the clock is set back, however many are made', () => {
  const earlier = randomUUIDv7();
  const later = orderedUuid(`ffff${earlier.slice(4)}`);
  const uuids = Array.from({ length: 10_000 }, () => orderedUuid(earlier));
  expect(uuids.every(isUuid)).toBe(true);
  expect([later, ...uuids]).toEqual([...new Set([later, ...uuids])].sort());
});
