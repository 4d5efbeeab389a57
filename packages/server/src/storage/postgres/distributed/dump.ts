import type { RowPages, StoredRow, TableShape } from '../../port.ts';
import {
  asArrays,
  type ColumnTypes,
  insertStatement,
  keyOf,
  keyParameters,
  type NamedRow,
  PAGE,
  rowPages,
  selectRows,
  toRow,
} from '../stored-rows.ts';
import type { Query } from '../transactions.ts';
import { HOME_TABLES, type Homes, schemaOf, sum } from './homes.ts';
import { type Sides, whenAllEnded } from './sides.ts';

// Of the other two, homes have a copy, and a table that is empty.
const IN_HOMES = new Set<string>(
  HOME_TABLES.filter((table) => table !== 'applications' && table !== 'webhook_responses'),
);
export const isInHomes = ({ name }: TableShape): boolean => IN_HOMES.has(name);

type Found = { home: number; row: StoredRow; key: (number | Uint8Array)[] };

/** The rows of all homes in the order of their keys, each once; the other tables are the coordinator's. */
export function distributedRowPages(query: Query, sides: Sides, types: ColumnTypes): RowPages {
  const onCoordinator = rowPages(query, types);
  return (table) =>
    isInHomes(table) ? mergedPages(sides, types, table) : withKnownUsers(sides, table, onCoordinator(table));
}

// Pages by key: what a cursor finds, Citus would first write to a file on the coordinator.
async function* mergedPages(sides: Sides, types: ColumnTypes, table: TableShape): AsyncGenerator<StoredRow[]> {
  const { homes } = sides;
  const key = keyOf(table, types);
  const places = table.key.map((name) => table.columns.indexOf(name));
  const pageOf = async (home: number, last: StoredRow): Promise<Found[]> => {
    const select = selectRows(table, types, `${schemaOf(home)}."${table.name}"`);
    const after = last.length > 0 ? `where (${key}) > (${keyParameters(table, types)})` : '';
    const rows = await sides.of(home)<NamedRow>(`${select} ${after} order by ${key} limit ${PAGE}`, last);
    return rows.map((named) => {
      const row = toRow(table, named);
      return { home, row, key: places.map((place) => toComparable(row[place])) };
    });
  };
  // The next page is read while rows of the one before are used.
  const begin = (home: number, last: StoredRow): Promise<Found[]> => {
    const next = pageOf(home, last);
    next.catch(() => {});
    return next;
  };
  const parts = homes.all.map((home) => ({ home, found: [] as Found[], next: begin(home, []) as Next }));
  try {
    for (;;) {
      for (const part of parts) {
        if (part.found.length > 0 || !part.next) continue;
        part.found = await part.next;
        const last = part.found.length < PAGE ? undefined : part.found.at(-1)?.row;
        part.next =
          last &&
          begin(
            part.home,
            places.map((place) => last[place] ?? null),
          );
      }
      // What a home has after its page may come before what another has in its own: that is left for the next round.
      const [end] = parts.flatMap(({ found, next }) => (next ? found.slice(-1) : [])).sort(byKey);
      const ready: Found[] = [];
      for (const { found } of parts) {
        const beyond = end ? found.findIndex((each) => byKey(each, end) > 0) : -1;
        ready.push(...found.splice(0, beyond === -1 ? found.length : beyond));
      }
      if (ready.length === 0) return;
      ready.sort(byKey);
      const rows: StoredRow[] = [];
      for (let from = 0, to = 0; from < ready.length; from = to) {
        const first = ready[from] as Found;
        while (to < ready.length && byKey(ready[to] as Found, first) === 0) to++;
        rows.push(...whatCounts(table, ready.slice(from, to), homes));
      }
      yield rows;
    }
  } finally {
    // Nothing may be sent after the rollback.
    await Promise.allSettled(parts.flatMap(({ next }) => next ?? []));
  }
}

type Next = Promise<Found[]> | undefined;

function toComparable(value: StoredRow[number] | undefined): number | Uint8Array {
  return typeof value === 'number' || value instanceof Uint8Array ? value : Buffer.from(value ?? '');
}

/** As PostgreSQL sorts: texts by their bytes. */
function byKey(one: Found, other: Found): number {
  for (const [place, a] of one.key.entries()) {
    const b = other.key[place] as typeof a;
    const order = typeof a === 'number' ? a - (b as number) : Buffer.compare(a, b as Uint8Array);
    if (order !== 0) return order;
  }
  return 0;
}

/** Of rows with one key in several homes, the one that another database would have. */
function whatCounts(table: TableShape, same: Found[], homes: Homes): StoredRow[] {
  const newest = (column: string): StoredRow[] => {
    const at = table.columns.indexOf(column);
    return same
      .map(({ row }) => row)
      .sort((a, b) => Number(b[at]) - Number(a[at]))
      .slice(0, 1);
  };
  switch (table.name) {
    case 'profiles': {
      // The user's own, rather than the one that leads there from the home of the name.
      const at = table.columns.indexOf('user_id');
      const own = same.find(({ home, row }) => homes.ofNumber(homeOfBytes(row[at])) === home);
      return [(own ?? (same[0] as Found)).row];
    }
    case 'deleted_users':
      // Of a user deleted before users were distributed, or in a backup, every home has a row; an import that brings
      // the user back removes the one in the user's home.
      return same.length === 1 || same.length === homes.count ? newest('at') : [];
    case 'event_floors':
      return newest('no');
    case 'idempotency_keys':
      // Another user may have taken a key whose time was over.
      return newest('expires_at');
    default:
      return same.map(({ row }) => row);
  }
}

/** The home in the bytes of a UUID: see homeOfUuid. */
function homeOfBytes(userId: StoredRow[number] | undefined): number {
  return userId instanceof Uint8Array ? Buffer.from(userId).readUInt16BE(6) & 0xfff : 0;
}

const hex = (bytes: StoredRow[number] | undefined): string => Buffer.from(bytes as Uint8Array).toString('hex');

/**
 * No reference keeps a row of the coordinator from naming a user whom a concurrent act deletes. In other databases, the
 * audit log forgets deleted users, and a receiver's response goes with the user.
 */
async function* withKnownUsers(
  sides: Sides,
  { name, columns }: TableShape,
  pages: AsyncIterable<StoredRow[]>,
): AsyncIterable<StoredRow[]> {
  if (name !== 'audit_log' && name !== 'webhook_responses') return yield* pages;
  const at = columns.indexOf('user_id');
  for await (const page of pages) {
    const named = page.flatMap((row) => (row[at] === null ? [] : [row[at]]));
    const byHome = Map.groupBy(named, (userId) => sides.homes.ofNumber(homeOfBytes(userId)));
    const found = await whenAllEnded(
      Array.from(byHome, ([home, users]) =>
        sides.of(home)<{ id: Uint8Array }>(
          `select uuid_send(user_id) as id from ${schemaOf(home)}.users where user_id = any ($1::uuid[])`,
          [[...new Set(users.map(hex))]],
        ),
      ),
    );
    const known = new Set(found.flat().map(({ id }) => hex(id)));
    const isKnown = (row: StoredRow): boolean => row[at] === null || known.has(hex(row[at]));
    if (name === 'webhook_responses') yield page.filter(isKnown);
    else yield page.map((row) => (isKnown(row) ? row : row.with(at, null)));
  }
}

const KEY_CLAIMS: TableShape = {
  name: 'key_claims',
  columns: ['app_id', 'key_hash', 'body_hash', 'user_id', 'expires_at'],
  key: ['app_id', 'key_hash'],
};

type Waiting = { home: number; table: TableShape; ifUserIsThere: boolean; rows: StoredRow[] };

/** Writes the rows of a backup to their homes, as rowsOf does in distribute.ts. */
export class HomeWriter {
  readonly #sides: Sides;
  readonly #types: ColumnTypes;
  readonly #waiting = new Map<string, Waiting>();
  /** One statement of each side, while the rows of the next ones are read. */
  readonly #sent = new Map<Query, Promise<unknown>>();
  #newestEvent = 0;

  constructor(sides: Sides, types: ColumnTypes) {
    this.#sides = sides;
    this.#types = types;
  }

  /** Deletes everything in all homes, which must be locked. */
  async empty(): Promise<void> {
    await this.#sides.each(async ({ query, homes }) => {
      for (const home of homes) await query(`truncate table ${tablesOf(home)}, ${schemaOf(home)}.key_claims`);
    });
  }

  async write(tables: readonly TableShape[], rows: RowPages): Promise<void> {
    // A profile is also in the home of its user, if there is one.
    const profilesLast = tables.toSorted((a, b) => Number(a.name === 'profiles') - Number(b.name === 'profiles'));
    try {
      for (const table of profilesLast) {
        if (!isInHomes(table) && table.name !== 'applications') continue;
        for await (const page of rows(table)) for (const row of page) await this.#add(table, row);
        for (const waiting of this.#waiting.values()) await this.#send(waiting);
        this.#waiting.clear();
      }
    } finally {
      await whenAllEnded([...this.#sent.values()]);
    }
  }

  async finish(): Promise<void> {
    await this.#sides.each(async ({ query, homes }) => {
      for (const home of homes) {
        // Event numbers already used are not reused, see dump.ts; those of all homes have one order.
        await query(
          `update ${schemaOf(home)}.event_counter set no = greatest(no, $1), last_no = greatest(last_no, $1)`,
          [Math.max(this.#newestEvent, Date.now() * 1000)],
        );
        await query(`analyze ${tablesOf(home)}`);
      }
    });
  }

  async #add(table: TableShape, row: StoredRow): Promise<void> {
    const { homes } = this.#sides;
    const value = (column: string): StoredRow[number] => row[table.columns.indexOf(column)] ?? null;
    const ofUser = (): number => homes.ofNumber(homeOfBytes(value('user_id')));
    const ofName = (): number => homes.ofName(Number(value('app_id')), String(value('client_user_id')));
    switch (table.name) {
      case 'applications':
      case 'event_floors':
      case 'deleted_users':
        for (const home of homes.all) await this.#put(home, table, row);
        break;
      case 'trial_users':
        await this.#put(ofName(), table, row);
        break;
      case 'profiles':
        await this.#put(ofName(), table, row);
        if (ofUser() !== ofName()) await this.#put(ofUser(), table, row, true);
        break;
      case 'events':
        this.#newestEvent = Math.max(this.#newestEvent, Number(value('no')));
        await this.#put(value('user_id') === null ? homes.ofNumber(Number(value('app_id'))) : ofUser(), table, row);
        break;
      case 'idempotency_keys':
        await this.#put(ofUser(), table, row);
        await this.#put(
          homes.ofNumber(Number.parseInt(hex(value('key_hash')).slice(0, 3), 16)),
          KEY_CLAIMS,
          KEY_CLAIMS.columns.map(value),
        );
        break;
      default:
        await this.#put(ofUser(), table, row);
    }
  }

  async #put(home: number, table: TableShape, row: StoredRow, ifUserIsThere = false): Promise<void> {
    const key = `${home} ${table.name} ${ifUserIsThere}`;
    const waiting = this.#waiting.get(key) ?? { home, table, ifUserIsThere, rows: [] };
    this.#waiting.set(key, waiting);
    waiting.rows.push(row);
    if (waiting.rows.length === PAGE) await this.#send(waiting);
  }

  async #send({ home, table, ifUserIsThere, rows }: Waiting): Promise<void> {
    const some = rows.splice(0);
    if (some.length === 0) return;
    const insert = insertStatement(table, this.#types, `${schemaOf(home)}."${table.name}"`, (given) =>
      ifUserIsThere
        ? `exists (select from ${schemaOf(home)}.users u where u.user_id = ${given('user_id')}
             and u.app_id = ${given('app_id')} and u.client_user_id = ${given('client_user_id')})`
        : 'true',
    );
    const query = this.#sides.of(home);
    await this.#sent.get(query);
    this.#sent.set(query, query(insert, asArrays(table, some)));
  }
}

function tablesOf(home: number): string {
  return HOME_TABLES.map((table) => `${schemaOf(home)}.${table}`).join(', ');
}

/** The users of all homes. */
export async function countDistributedUsers(query: Query, homes: Homes): Promise<number> {
  const counts: number[] = [];
  for (const home of homes.all) {
    const [row] = await query<{ count: number }>(`select count(*) as count from ${schemaOf(home)}.users`);
    counts.push(row?.count ?? 0);
  }
  return sum(counts);
}
