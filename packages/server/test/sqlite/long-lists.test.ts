import { afterAll, beforeAll, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createApplication, createUser } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';
import { awaitedProcessorTime } from '../processor-time.ts';

const ROWS = 300_000;
const WEBHOOK = '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31';
const SELECTION = '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c32';

let storage: Storage;
let appId: number;
let userId: string;
beforeAll(async () => {
  const url = await sqlite.fresh();
  storage = await (await storageDriver(url)).open();
  appId = await createApplication(storage);
  ({ userId } = await createUser(storage, appId));
  const bytes = (uuid: string) => `x'${uuid.replaceAll('-', '')}'`;
  const rows = `with recursive n (i) as (values (1) union all select i + 1 from n where i < ${ROWS})`;
  await sqlite.execute(
    url,
    `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, from_value, to_value)
       ${rows} select ${bytes(userId)}, ${bytes(SELECTION)}, i, 1, i, 'access_token', 'true', 'false' from n;
     insert into webhooks (webhook_id, app_id, url, types, description, sealed_secret, created_at, read_after, read_since)
       values (${bytes(WEBHOOK)}, ${appId}, 'https://app.example.com', '[]', '', 'x', 1, 0, 0);
     insert into webhook_deliveries (webhook_id, delivery_id, event_no, type, created_at, state, attempts)
       ${rows} select ${bytes(WEBHOOK)}, randomblob(16), i, 'user.created', i, 'pending', 1 from n;
     insert into events (app_id, type, at, user_id) ${rows} select ${appId}, 0, i, ${bytes(userId)} from n limit 30000;`,
  );
});
afterAll(() => storage.close());

/** Reading all of them takes 100 ms and more. */
const MAX_MS = 40;

test.each([undefined, SELECTION])(
  'requests do not wait while a long history is counted and sorted: %s',
  async (one) => {
    const page = { offset: ROWS - 10, limit: 50 };
    const { result, ms } = await awaitedProcessorTime(() => storage.selections.history(userId, page, one));
    expect(result).toMatchObject({ total: ROWS, items: { length: 10 } });
    expect(result.items.at(-1)).toMatchObject({ at: 1, selectionId: SELECTION });
    expect(ms).toBeLessThan(MAX_MS);
  },
);

test.each(['pending', 'succeeded'] as const)(
  'requests do not wait for a list of many deliveries: %s',
  async (state) => {
    const list = () => storage.deliveries.list(WEBHOOK, { state }, { before: null, limit: 50 });
    const { result, ms } = await awaitedProcessorTime(list);
    expect(result).toHaveLength(state === 'pending' ? 50 : 0);
    expect(ms).toBeLessThan(MAX_MS);
  },
);

test('requests do not wait while the latest deliveries that have ended are looked for', async () => {
  const { result, ms } = await awaitedProcessorTime(() => storage.webhooks.health(appId, 100));
  expect(result).toMatchObject([{ webhookId: WEBHOOK, recent: 0, open: 100 }]);
  expect(ms).toBeLessThan(MAX_MS);
});

test('reads of milliseconds that are requested together take a turn each', async () => {
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  // Each looks at 20,000 events.
  const find = () => storage.events.listBack(appId, { userId: WEBHOOK }, { before: null, limit: 1 });
  try {
    const turns = await Promise.all(Array.from({ length: 10 }, () => find().then(() => turn)));
    expect(new Set(turns).size).toBeGreaterThan(4);
  } finally {
    isOver = true;
  }
});
