import { expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { createApplication } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';
import { awaitedProcessorTime } from '../processor-time.ts';

const USERS = 200_000;

test('a search by prefix does not read the users before it', async () => {
  const url = await sqlite.fresh();
  const storage = await (await storageDriver(url)).open();
  try {
    const appId = await createApplication(storage);
    await sqlite.execute(
      url,
      `begin;
       create temp table ids as with recursive n (i) as (values (1) union all select i + 1 from n where i < ${USERS})
         select printf('user%07d', i) as id, randomblob(16) as user from n;
       insert into users (user_id, app_id, client_user_id, created_at) select user, ${appId}, id, 1 from ids;
       insert into profiles (app_id, client_user_id, user_id, client_user_name) select ${appId}, id, user, 'Name' from ids;
       commit;`,
    );
    const search = (prefix: string) => storage.users.page(appId, { after: null, limit: 50, prefix });
    for (const prefix of ['zzzz', 'user0199990']) {
      const times: number[] = [];
      for (let run = 0; run < 5; run++) times.push((await awaitedProcessorTime(() => search(prefix))).ms);
      // Reading all of them takes 30 ms and more.
      expect(Math.min(...times)).toBeLessThan(10);
    }
  } finally {
    await storage.close();
  }
});
