import { randomUUIDv7 } from 'node:crypto';

let latest = '';
let count = 0;

/** A UUID of version 7 that sorts after all that this process made before, also within one millisecond. */
export function orderedUuid(): string {
  const uuid = randomUUIDv7();
  // 48 bits of time, the version, then 12 bits that RFC 9562 leaves for a counter.
  const time = uuid.slice(0, 13) > latest ? uuid.slice(0, 13) : latest;
  count = time === latest ? count + 1 : 0;
  if (count > 0xfff) return orderedUuid();
  latest = time;
  return `${time}-7${count.toString(16).padStart(3, '0')}${uuid.slice(18)}`;
}
