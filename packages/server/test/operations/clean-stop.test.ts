import { copyFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { databases } from '../databases.ts';
import { makeUser, startTestServer } from '../http/start.ts';

test('after a clean stop an embedded database is one file, and a copy of it is complete', async () => {
  const url = await (databases[0] as (typeof databases)[0]).fresh();
  const server = await startTestServer(url);
  const application = await server.application();
  for (let count = 0; count < 3; count++) await makeUser(server, application);
  await server.close();

  const path = url.slice('sqlite:'.length);
  await copyFile(path, `${path}.copy`);
  const storage = await (await storageDriver(`${url}.copy`)).open();
  expect(await storage.applications.countUsers(application.appId)).toBe(3);
  await storage.close();
});
