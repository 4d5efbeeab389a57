import pg from 'pg';
import { expect, test } from 'vitest';
import { postgres } from '../databases.ts';
import { startTestServer } from '../http/start.ts';
import { editor } from '../manage/manage.ts';

const CATALOG = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [{ name: 'look', keys: [{ name: 'theme', type: 'string', values: ['dark', 'light'] }] }],
};

test('counting for insights is cancelled when its client disconnects', async () => {
  const url = await postgres.fresh();
  const server = await startTestServer(url);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    const { key, path, manage } = await editor(server, CATALOG);
    const headers = { authorization: `Bearer ${manage.token}` };
    const { keyUid } = await key('theme');
    const waiting = async () => {
      const found = await other.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return found.rowCount;
    };
    // Every survey waits for this lock.
    await other.query('begin; lock table selections in access exclusive mode');
    for (const what of ['insights?wait=60', `keys/${keyUid}/insights`, `keys/${keyUid}/counts`]) {
      const reader = new AbortController();
      const answer = fetch(`${server.url}/manage/v1${path}/${what}`, { headers, signal: reader.signal });
      await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
      reader.abort();
      await expect(answer).rejects.toThrow();
      await expect.poll(waiting, { timeout: 10_000 }).toBe(0);
    }
    await other.query('rollback');
    const answer = await fetch(`${server.url}/manage/v1${path}/insights`, { headers });
    expect(await answer.json()).toMatchObject({ counted: 1, users: 0, items: [{ keyUid, chose: 0 }] });
  } finally {
    await other.end();
    await server.close();
  }
});
