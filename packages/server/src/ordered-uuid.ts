import { randomUUIDv7 } from 'node:crypto';

let latest = '';
let count = 0;

/** A version 7 UUID that sorts after all earlier ones from this process, even within a millisecond. */
export function orderedUuid(): string {
  const uuid = randomUUIDv7();
  // 48 bits of time, the version, then 12 bits that RFC 9562 allows as a counter.
  const time = uuid.slice(0, 13) > latest ? uuid.slice(0, 13) : latest;
  count = time === latest ? count + 1 : 0;
  if (count > 0xfff) return orderedUuid();
  latest = time;
  return `${time}-7${count.toString(16).padStart(3, '0')}${uuid.slice(18)}`;
}
