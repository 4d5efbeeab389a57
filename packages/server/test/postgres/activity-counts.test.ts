import { expect, test } from 'vitest';
import { ActivityCounter } from '../../src/domain/activity.ts';
import { STEP_MS } from '../../src/storage/port.ts';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { createApplication, NOW } from '../contract/examples.ts';
import { postgres } from '../databases.ts';
import { flakyProxy } from './flaky-proxy.ts';

test('counts are added once, even if the connection is lost right after the commit', async () => {
  const proxy = await flakyProxy(await postgres.fresh());
  const storage = await postgresDriver(proxy.url).open();
  const appId = await createApplication(storage);
  const counter = new ActivityCounter(
    storage,
    () => NOW,
    () => {},
  );
  counter.count(appId, 'usersErased', 5);
  proxy.loseAnswerTo('usersErased');
  await counter.flush();
  await counter.close();
  const span = { step: 'hour', from: NOW - STEP_MS.hour, to: NOW + STEP_MS.hour } as const;
  expect(await storage.activity.list(appId, span)).toMatchObject([{ name: 'usersErased', count: 5 }]);
  await storage.close();
  await proxy.close();
});
