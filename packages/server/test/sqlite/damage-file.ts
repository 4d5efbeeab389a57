import { randomBytes, randomInt } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const PAGE = 4096;

/** What disks, copies and other programs do to SQLite files. */
export const DAMAGE = {
  'zeroed page': (path: string) => changePage(path, leafOf(path, 'profiles'), (page) => page.fill(0)),
  'random bytes in a leaf page': (path: string) =>
    changePage(path, leafOf(path, 'users'), (page) => {
      // The start of the cell pointers and the end of the cells: the space between may be unused.
      randomBytes(256).copy(page, 8);
      randomBytes(256).copy(page, PAGE - 256);
    }),
  'overwritten leaf page': (path: string) =>
    changePage(path, leafOf(path, 'selections'), (page) => page.set(randomBytes(PAGE))),
  'flipped bytes in an index page': (path: string) =>
    changePage(path, leafOf(path, 'access_tokens_by_user'), (page) => {
      // A leaf counts its cells in bytes 3 and 4, and points to them from byte 8. Other bytes may be unused.
      for (let cell = 0; cell < page.readUInt16BE(3); cell++) {
        const key = page.readUInt16BE(8 + 2 * cell) + 8;
        page[key] = (page[key] as number) ^ 0xff;
      }
    }),
  'flipped key of a profile': (path: string) => flipKey(path, 'profiles'),
  'flipped key of a user': (path: string) => flipKey(path, 'users'),
  'truncated file': (path: string) =>
    withFile(path, (file) => ftruncateSync(file, PAGE * Math.floor(fstatSync(file).size / PAGE / 2))),
  'damaged header': (path: string) => withFile(path, (file) => writeSync(file, randomBytes(64), 0, 64, 0)),
  'overwritten free list': (path: string) => overwriteFreeList(path),
} satisfies Record<string, (path: string) => void>;

export type DamageKind = keyof typeof DAMAGE;
export const DAMAGE_KINDS = Object.keys(DAMAGE) as DamageKind[];

/** Checkpoints the log, so that damaging the file damages data in use. */
export function emptyLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

/** Creates free pages, so that there is a free list. */
export function makeFreePages(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`insert into facts values ('large', hex(zeroblob(500000))); delete from facts where name = 'large'`);
  database.close();
}

/** Gives two users the same key, which only damage can do: copying all rows then fails. */
export function repeatKey(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const [one, other] = database
    .prepare('select user_id as id, created_at from users order by user_id limit 2')
    .all()
    .map(({ id }) => Buffer.from(id as Uint8Array)) as [Buffer, Buffer];
  const pages = database.prepare(`select pageno from dbstat where name = 'users'`).all();
  database.close();
  for (const { pageno } of pages) {
    changePage(path, pageno as number, (page) => {
      for (let at = page.indexOf(other); at >= 0; at = page.indexOf(other)) one.copy(page, at);
    });
  }
}

function leafOf(path: string, name: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const leaves = database.prepare(`select pageno from dbstat where name = ? and pagetype = 'leaf'`).all(name);
    const leaf = leaves[randomInt(leaves.length)];
    if (!leaf) throw new Error(`${name} has no leaf page.`);
    return leaf.pageno as number;
  } finally {
    database.close();
  }
}

/** Flips one bit in the key of one row, as bad memory does. */
function flipKey(path: string, table: 'profiles' | 'users'): void {
  const column = table === 'users' ? 'user_id' : 'client_user_id';
  const select = <T>(sql: string): T[] => {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    const rows = database.prepare(sql).all() as T[];
    database.close();
    return rows;
  };
  // Reads the table itself, because an index still has the unchanged key.
  const keys = (): Buffer[] =>
    select<{ key: string | Uint8Array }>(`select *, ${column} as key from ${table}`).map(({ key }) =>
      Buffer.from(key as Uint8Array),
    );
  const all = keys();
  const key = all[randomInt(all.length)] as Buffer;
  for (const { pageno } of select<{ pageno: number }>(`select pageno from dbstat where name = '${table}'`)) {
    let found = false;
    changePage(path, pageno, (page) => {
      // A page may also have the key in the remains of a deleted row.
      for (let at = page.indexOf(key); at >= 0; at = page.indexOf(key, at + 1)) {
        found = true;
        page[at + 7] = (page[at + 7] as number) ^ 0x01;
      }
    });
    if (found && !keys().some((each) => each.equals(key))) return;
  }
  throw new Error(`${table} has no such key.`);
}

function overwriteFreeList(path: string): void {
  withFile(path, (file) => {
    const header = Buffer.alloc(100);
    readSync(file, header, 0, 100, 0);
    const trunk = header.readUInt32BE(32);
    if (trunk === 0) throw new Error('There are no free pages.');
    writeSync(file, randomBytes(PAGE), 0, PAGE, (trunk - 1) * PAGE);
  });
}

function changePage(path: string, pageNo: number, change: (page: Buffer) => unknown): void {
  withFile(path, (file) => {
    const page = Buffer.alloc(PAGE);
    const at = (pageNo - 1) * PAGE;
    readSync(file, page, 0, PAGE, at);
    change(page);
    writeSync(file, page, 0, PAGE, at);
  });
}

function withFile(path: string, work: (file: number) => unknown): void {
  const file = openSync(path, 'r+');
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}
