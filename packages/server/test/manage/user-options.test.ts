import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HistoryPurge } from '../../src/domain/maintenance.ts';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { makeTestUser } from '../http/options/test-user.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { byToken, manageWith } from './manage.ts';

const DAY = 86_400_000;

describe.each(databases)("a user's options through /manage/v1 on $kind", (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const support = async (access: 'users' | 'read' = 'users') => {
    const testUser = await makeTestUser(server);
    const { application, user } = testUser;
    const manage = await manageWith(server, { appIds: [application.appId], access });
    const path = `/applications/${application.clientId}/users/${user.userCode}`;
    const send = (method: string, rest: string, body?: unknown) => manage.send(method, path + rest, body);
    return { ...testUser, send };
  };

  test('support saves and unsets; history and audit name the actor', async () => {
    const { application, user, send, choice, save, read } = await support();
    await save(await choice('volume', [5]));
    const [volume, motto] = [await choice('volume', [10]), await choice('motto', ['Hi'], { language: 'de' })];
    const saved = await send('PUT', '/options', { options: [volume, motto] });
    expect(saved).toMatchObject({
      status: 200,
      json: {
        total: 2,
        items: [
          { keyName: 'volume', value: 10, isDefault: false },
          { keyName: 'motto', value: 'Hi', language: 'de', texts: null },
        ],
      },
    });
    expect(((await read()).json.items as { option: Wire }[]).map(({ option }) => option.value)).toEqual([10, 'Hi']);
    const [{ userOptionsUid }] = saved.json.items as [{ userOptionsUid: string }];
    const { receipt } = (await send('GET', `/options/${userOptionsUid}/receipt`)).json as { receipt: string };
    expect(decodeJwt(receipt)).toMatchObject({ sub: user.userCode, option: 'volume', value: 10, by: 'manage' });
    expect((await send('GET', `/options/${user.userCode}/receipt`)).json.code).toBe('9404');
    const uids = [volume, motto].map(({ option_key_uid }) => `option_key_uid=${option_key_uid}`);
    expect(
      (await send('DELETE', `/options?${uids.join('&').toUpperCase().replaceAll('OPTION_KEY_UID', 'option_key_uid')}`))
        .status,
    ).toBe(204);
    expect((await read()).json.total).toBe(0);
    expect((await send('DELETE', `/options?${uids[0]}`)).json.code).toBe('9404');

    const history = (await send('GET', '/history')).json.items as Wire[];
    const reported = (keyName: string) =>
      history.filter((event) => event.keyName === keyName).map((event) => [event.action, event.by, event.actor]);
    expect(reported('motto')).toEqual([
      ['unset', 'manage', byToken()],
      ['save', 'manage', byToken()],
    ]);
    expect(reported('volume')).toEqual([...reported('motto'), ['save', 'user_uid', null]]);
    const { storage } = server.service;
    const entries = await storage.audit.list(
      application.appId,
      { action: 'user.optionsChanged' },
      { before: null, limit: 9 },
    );
    expect(entries.map((entry) => [entry.actor, entry.userId, JSON.parse(entry.after ?? '')])).toEqual([
      [byToken(), user.userCode, { unset: ['open.volume', 'open.motto'] }],
      [byToken(), user.userCode, { saved: ['open.volume', 'open.motto'] }],
    ]);
  });

  test('invalid input is rejected with its code and changes nothing', async () => {
    const { send, choice, read, save } = await support();
    const volume = await choice('volume', [11]);
    const seen = (await save({ ...volume, value: [5] })).json.etag;
    for (const [body, status, code] of [
      [{}, 400, '9400'],
      [{ options: 5 }, 400, '9400'],
      [{ options: [volume], user_uid: 'x' }, 400, '9400'],
      [{ options: [volume, volume] }, 422, '1008'],
      [{ options: [volume] }, 422, '1008'],
      [{ options: [{ ...volume, value: 5 }] }, 400, '9400'],
      [{ options: [{ ...volume, option_key_uid: crypto.randomUUID() }] }, 404, '1005'],
      [{ options: [{ ...volume, language: 'Klingon' }] }, 400, '1003'],
      [{ options: [{ ...volume, value: [10], if_match: '"other"' }] }, 412, '1014'],
    ] as const) {
      const refused = await send('PUT', '/options', body);
      expect({ body, status: refused.status, code: refused.json.code }).toEqual({ body, status, code });
      if (code === '1014') expect(refused.json).toMatchObject({ current: { value: 5, etag: seen } });
    }
    expect((await send('DELETE', '/options')).json.code).toBe('9400');
    expect((await send('DELETE', '/options?option_key_uid=x')).json.code).toBe('9400');
    expect((await send('DELETE', `/options?option_key_uid=${crypto.randomUUID()}`)).json.code).toBe('1005');
    expect(((await read()).json.items as { option: Wire }[])[0]?.option.value).toBe(5);
    const reader = await support('read');
    expect((await reader.send('PUT', '/options', { options: [] })).status).toBe(403);
    expect((await reader.send('DELETE', '/options?option_key_uid=x')).status).toBe(403);
  });

  test('history is kept as set by historyKept', async () => {
    const { application, user, save, choice } = await support();
    const { storage } = server.service;
    const total = async () => (await storage.selections.history(user.userCode, { offset: 0, limit: 9 })).total;
    await save(await choice('volume', [5]));
    await save(await choice('volume', [10]));
    const later = server.service.now() + 31 * DAY;
    await new HistoryPurge(storage).step(later);
    expect(await total()).toBe(2);
    await storage.applications.update(application.appId, { set: { historyKept: 30 } });
    const purge = new HistoryPurge(storage);
    await purge.step(later - 2 * DAY);
    expect(await total()).toBe(2);
    await purge.step(later);
    expect(await total()).toBe(0);
    expect(await storage.selections.list(user.userCode)).toMatchObject([{ value: '10', version: 2 }]);
  });
});
