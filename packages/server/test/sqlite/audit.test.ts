import { expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { createApplication } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';
import { awaitedProcessorTime } from '../processor-time.ts';

const ENTRIES = 200_000;

test('requests do not wait while a filter finds little in a long audit', async () => {
  const url = await sqlite.fresh();
  const storage = await (await storageDriver(url)).open();
  try {
    const appId = await createApplication(storage);
    await sqlite.execute(
      url,
      `insert into audit_log (audit_uid, app_id, at, actor, action, subject)
         with recursive n (i) as (values (1) union all select i + 1 from n where i < ${ENTRIES})
         select randomblob(16), ${appId}, i, 'ada@example.com', 'user.changed', 'x' from n;`,
    );
    for (const filter of [
      { action: 'application.created' },
      { from: 5, to: 6 },
      { actor: 'eve@example.com' },
    ] as const) {
      const list = () => storage.audit.list(appId, filter, { before: null, limit: 50 });
      const { result: found, ms } = await awaitedProcessorTime(list);
      expect(found).toHaveLength('from' in filter ? 1 : 0);
      // Reading all of them takes 150 ms and more.
      expect(ms).toBeLessThan(60);
    }
  } finally {
    await storage.close();
  }
});
