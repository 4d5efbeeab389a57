import { PAGE_BYTES } from '../page-bytes.ts';
import {
  type HistoryPlace,
  RECORD_BYTES,
  type StoredUser,
  type StoredUserPage,
  sizeOfUser,
  type UserPlace,
  type UserWalk,
  type ValuePage,
  type ValueRow,
} from './port.ts';

/** How much of a value is compared, and stored in PostgreSQL's index. */
export const INDEXED_CHARACTERS = 200;

/** Longer reads run where nothing queues behind them. */
export const QUICK_READ = 256;

export function indexedPart(json: string): string {
  // Characters as the databases count them.
  return json.length <= INDEXED_CHARACTERS ? json : [...json].slice(0, INDEXED_CHARACTERS).join('');
}

/** The values starting at a place, ordered by bytes. */
export function valuesFrom(values: readonly string[], place: string | undefined): string[] {
  if (place === undefined) return [...values];
  const from = Buffer.from(place);
  return values.filter((each) => Buffer.compare(Buffer.from(each), from) >= 0);
}

/** Digits of a time in a place, so that text order is time order. */
export const CREATED_DIGITS = 16;

/** The rest of a walk by creation time, starting at a place. */
export function createdSpan(
  { newest, from = 0, to = Number.MAX_SAFE_INTEGER }: UserWalk & { by: 'created' },
  after: UserPlace | null,
): { first: number; last: number } {
  // A place without a time, as earlier releases wrote it, starts over.
  const at = /^\d{16}$/.test(after?.value ?? '') ? Number(after?.value) : undefined;
  return newest ? { first: from, last: Math.min(to, at ?? to) } : { first: Math.max(from, at ?? from), last: to };
}

/** Rows that a walk reads at once, if they are small. */
export const WALK_ROWS = 500;

/** There may be more after a page that is full by its rows or, at three bytes per character at most, by its bytes. */
export function toValuePage(rows: ValueRow[]): ValuePage {
  const bytes = rows.reduce((sum, { value }) => sum + 3 * value.length, 0);
  const isFull = rows.length === WALK_ROWS || bytes >= PAGE_BYTES;
  return { rows, next: isFull ? (rows.at(-1)?.value ?? null) : null };
}

/** Where a walk through a history begins: before all possible entries. */
export const LAST_PLACE: HistoryPlace = { selectionId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', eventNo: 2 ** 31 - 1 };

/**
 * The smallest text after every text with this prefix; undefined if there is none. UTF-8 keeps the order of code
 * points, so this is exact for both databases, which compare bytes.
 */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  while (points.length > 0) {
    const last = points.pop() as number;
    if (last === 0x10ffff) continue;
    // Surrogates are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** `sizeOfUser` in PostgreSQL, in bytes. */
export const USER_BYTES = `(
  select ${RECORD_BYTES} + coalesce(sum(${RECORD_BYTES} + octet_length(value) + coalesce(octet_length(texts), 0)), 0)
  from selections s where s.user_id = p.user_id
)`;

/** There may be more after a page that is full by its users or, at three bytes per character at most, by its bytes. */
export function toUserPage(users: StoredUser[], limit: number): StoredUserPage {
  const bytes = users.reduce((sum, user) => sum + 3 * sizeOfUser(user), 0);
  const isFull = users.length === limit || bytes >= PAGE_BYTES;
  return { users, next: isFull ? (users.at(-1)?.clientUserId ?? null) : null };
}
