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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** In the service's form: lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUID in either case, converted to the service's form. */
export function readUuid(text: string): string | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}
