import { DatabaseSync } from 'node:sqlite';
import { createSetUpLink } from '../packages/server/src/domain/accounts/links.ts';
import { createKeyring } from '../packages/server/src/domain/keyring.ts';
import { storageDriver } from '../packages/server/src/storage/open.ts';
import { SECRET } from '../packages/server/test/http/start.ts';
import type { ServeProcess } from '../packages/server/test/operations/serve-process.ts';
import { fromPortal, PASSWORD, tokenOf } from '../packages/server/test/portal/portal.ts';
import { askPostgres } from './ask-postgres.ts';
import { Client, describe, isDone, openPlace, type TestUser } from './client.ts';
import { SETTINGS, setStage } from './stage.ts';

const USERS = 5;
const EMAIL = 'ada@example.com';
const HOUR_MS = 3_600_000;
const SIGN_IN_MS = 10_000;
/** None of these may lose a row, regardless of the clock. */
const TABLES = [
  ...['users', 'access_tokens', 'selections', 'selection_events', 'events', 'sessions', 'accounts', 'audit_log'],
];

export type Rows = Record<string, number>;

/**
 * Everything a service stores: users with tokens and selections, a portal account with a session, and its audit log.
 */
export type SeedData = {
  server: ServeProcess;
  signIn(url: string, who?: { email: string }): Promise<number>;
  /** Exchanges a special token kept for this purpose; if refused, it stays valid. */
  exchange(url: string): Promise<void>;
  /** What has changed. */
  check(before: Rows): Promise<string[]>;
};

export async function settle(databaseUrl: string, start: () => Promise<ServeProcess>): Promise<SeedData> {
  const application = await setStage(databaseUrl);
  const storage = await (await storageDriver(databaseUrl)).open();
  const link = await createSetUpLink(storage, createKeyring(SECRET), {
    publicUrl: SETTINGS.publicUrl,
    now: Date.now(),
  });
  // Tokens that expire within the hour: by a clock two hours ahead, they have expired.
  await storage.applications.update(Number(application.clientId.split('_')[0]), { set: { accessTokenTtl: 3_600 } });
  await storage.close();
  const server = await start();
  const ask = (method: string, url: string, body?: object, headers = {}) =>
    fetch(url, { method, headers: { ...fromPortal, ...headers }, ...(body && { body: JSON.stringify(body) }) });
  const account = { token: tokenOf(link?.link ?? ''), email: EMAIL, password: PASSWORD };
  const opened = await ask('POST', `${server.url}/manage/v1/session`, account);
  const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const made = await ask('POST', `${server.url}/manage/v1/applications`, { name: 'Audited' }, { cookie });
  if (made.status !== 201) throw new Error(`the portal returned ${made.status}: ${await made.text()}`);

  const place = await openPlace(server.url, application);
  const users: TestUser[] = [];
  const client = new Client(place);
  for (let count = 0; count < USERS; count++) {
    const user = await client.create();
    const granted = await client.exchange(user);
    const saved = await client.save(user, 0);
    if (!isDone(granted) || !isDone(saved)) throw new Error(`${describe(granted)}, ${describe(saved)}`);
    users.push(user);
  }
  const waiting = await client.create();
  client.close();

  const seeded: SeedData = {
    server,
    signIn: async (url, { email } = { email: EMAIL }) =>
      (await ask('POST', `${url}/manage/v1/session`, { email, password: PASSWORD })).status,
    async exchange(url) {
      const other = new Client({ ...place, url });
      await other.exchange(waiting);
      other.close();
    },
    async check(before) {
      const losses: string[] = [];
      const { url } = seeded.server;
      const after = await countRows(databaseUrl);
      for (const [table, rows] of Object.entries(before)) {
        if ((after[table] as number) < rows) losses.push(`${table}: ${after[table]} of ${rows} rows are left`);
      }
      if (after.signing_keys !== before.signing_keys) losses.push('the signing keys have changed');
      const reader = new Client({ ...place, url });
      for (const user of users) {
        const read = await reader.read(user);
        if (!isDone(read)) losses.push(`an access token: ${describe(read)}`);
      }
      if (waiting.specialToken) {
        const late = await reader.exchange(waiting);
        if (!isDone(late)) losses.push(`a special token: ${describe(late)}`);
      }
      reader.close();
      const session = await ask('GET', `${url}/manage/v1/session`, undefined, { cookie });
      if (session.status !== 200) losses.push(`a session: HTTP ${session.status}`);
      const deadline = performance.now() + SIGN_IN_MS;
      let status = await seeded.signIn(url);
      while (status === 429 && performance.now() < deadline) status = await seeded.signIn(url);
      if (status !== 201) losses.push(`a sign-in: HTTP ${status}`);
      return losses;
    },
  };
  return seeded;
}

/** By table; `future` are signing keys made by a clock that was ahead. */
export async function countRows(databaseUrl: string): Promise<Rows> {
  const counts = [...TABLES, 'signing_keys'].map((table) => `(select count(*) from ${table}) as ${table}`);
  const sql = `select ${counts}, -(select count(*) from signing_keys where created_at > ${Date.now() + HOUR_MS}) as future`;
  const [row] = databaseUrl.startsWith('sqlite:')
    ? readSqlite(databaseUrl.slice('sqlite:'.length), sql)
    : await askPostgres(databaseUrl, sql);
  return Object.fromEntries(Object.entries(row as object).map(([name, count]) => [name, Number(count)]));
}

function readSqlite(path: string, sql: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
