import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withTrial } from '../../src/domain/try-it.ts';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { editor, manageWith } from './manage.ts';

type Step = { operationId: string; status: number; body: Record<string, unknown> | null; answer: unknown };
type Tried = { complete: boolean; steps: Step[] };

const WHOLE_FLOW = [
  ['createUser', 200],
  ['getAccessToken', 200],
  ['listOptionGroups', 200],
  ['listOptionKeys', 200],
  ['saveUserOption', 201],
  ['listUserOptions', 200],
  ['deleteUser', 204],
];

describe.each(databases)('"try it" on $kind', (database) => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  const run = async (at: Awaited<ReturnType<typeof editor>>) => {
    const answer = await at.send('POST', '/try');
    expect(answer.status).toBe(200);
    return { tried: answer.json as Tried, text: answer.text };
  };
  const outcomes = ({ steps }: Tried) => steps.map(({ operationId, status }) => [operationId, status]);
  const users = async (at: Awaited<ReturnType<typeof editor>>) => (await at.get('/users')).json.items;

  test('runs the whole flow, shows each request and response without a secret, and leaves nothing behind', async () => {
    const at = await editor(server);
    const { tried, text } = await run(at);
    expect(tried.complete).toBe(true);
    expect(outcomes(tried)).toEqual(WHOLE_FLOW);
    const step = (name: string) => tried.steps.find(({ operationId }) => operationId === name) as Step;
    expect(step('createUser').body).toMatchObject({ clientSecret: 'YOUR_CLIENT_SECRET' });
    expect(step('getAccessToken').answer).toMatchObject({ access_token: 'YOUR_ACCESS_TOKEN', token_type: 'Bearer' });
    const { value } = step('saveUserOption').body as { value: unknown[] };
    const saved = (step('listUserOptions').answer as { items: { option: { value: unknown } }[] }).items;
    expect(saved.map(({ option }) => [option.value].flat())).toContainEqual(value);
    expect(text).not.toMatch(/ink_[\w-]{20}|st_\d+_|eyJ/);
    expect(await users(at)).toEqual([]);
  });

  test('the temporary secret is invalid afterwards, and never valid for another application', async () => {
    const [at, other] = [await editor(server), await editor(server)];
    const application = await server.service.applications.findByClientId(at.application.clientId);
    if (!application) throw new Error('no application');
    const create = (clientId: string, clientSecret: string) =>
      server.post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId: 'x', clientUserName: 'X' });
    const lent = await withTrial(server.service, application, async ({ clientSecret }) => {
      expect((await create(other.application.clientId, clientSecret)).json.code).toBe('0011');
      return clientSecret;
    });
    expect((await create(at.application.clientId, lent)).json.code).toBe('0011');
    const exchange = { clientSecret: lent, specialToken: 'st_1_x' };
    expect((await server.post('/oauth/v2/get-access-token', exchange)).json.code).toBe('0006');
  });

  test('concurrent runs do not interfere', async () => {
    const at = await editor(server);
    const all = await Promise.all(Array.from({ length: 6 }, () => run(at)));
    expect(all.map(({ tried }) => tried.complete)).toEqual(Array(6).fill(true));
    expect(await users(at)).toEqual([]);
  });

  test('catalog content is shown unchanged, including addresses', async () => {
    const at = await editor(server, {
      languages: [{ name: 'English', tag: 'en', default: true }],
      groups: [
        {
          name: 'localhost:80',
          keys: [{ name: '"a@b', type: 'string', values: ['x\\', 'https://b:1'] }],
        },
      ],
    });
    const { tried } = await run(at);
    expect(tried.complete).toBe(true);
    const keys = tried.steps.find(({ operationId }) => operationId === 'listOptionKeys')?.answer as {
      items: unknown[];
    };
    expect(keys.items).toMatchObject([{ option_group_name: 'localhost:80', name: '"a@b' }]);
  });

  test('an application without options is tried without saving', async () => {
    const application = await server.application();
    const manage = await manageWith(server);
    const { json } = await manage.send('POST', `/applications/${application.clientId}/try`);
    expect(outcomes(json as Tried).map(([name]) => name)).toEqual([
      'createUser',
      'getAccessToken',
      'listOptionGroups',
      'listUserOptions',
      'deleteUser',
    ]);
    expect(json.complete).toBe(true);
  });

  test('maintenance removes only the user that a crash left behind', async () => {
    const at = await editor(server);
    const { appId, clientId, clientSecret } = at.application;
    const { storage, now } = server.service;
    for (const clientUserId of ['innkeeper-try-left', 'innkeeper-try-of-somebody']) {
      const body = { clientId, clientSecret, clientUserId, clientUserName: 'X' };
      if (clientUserId.endsWith('left')) await storage.trials.add(appId, clientUserId, now() + 1000);
      expect((await server.post('/api/v2/app/create-user', body)).status).toBe(200);
    }
    await storage.purgeExpired(now());
    expect(await users(at)).toHaveLength(2);
    await storage.purgeExpired(now() + 2000);
    expect(await users(at)).toMatchObject([{ clientUserId: 'innkeeper-try-of-somebody' }]);
  });

  test('a failing step is shown, and the user is removed anyway', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const remote = { tokenServiceUrl: nowhere, tokenServiceClientId: 'innkeeper', tokenServiceClientSecret: 'x' };
    const unlucky = await startTestServer(url, remote);
    try {
      const at = await editor(unlucky);
      const { tried } = await run(at);
      expect(tried.complete).toBe(false);
      expect(outcomes(tried)).toEqual([
        ['createUser', 200],
        ['getAccessToken', 400],
      ]);
      expect(tried.steps[1]?.answer).toMatchObject({ code: '0009' });
      expect(await users(at)).toEqual([]);
    } finally {
      await unlucky.close();
    }
  });

  test.runIf(database.kind === 'sqlite')('leaves no work for later', async () => {
    const application = await server.application();
    const manage = await manageWith(server);
    expect((await manage.send('POST', `/applications/${application.clientId}/try`)).status).toBe(200);
    // Longer than the service waits for the rest of a rejected body.
    await new Promise((resolve) => setTimeout(resolve, 5_200));
    expect((await server.send('GET', '/livez')).status).toBe(200);
  });

  test('read access is not enough', async () => {
    const application = await server.application();
    const reader = await manageWith(server, { access: 'read' });
    expect((await reader.send('POST', `/applications/${application.clientId}/try`)).status).toBe(403);
  });

  test('a process that serves only the portal says so (9409)', async () => {
    const alone = await startTestServer(url, { serve: 'portal' });
    try {
      const application = await alone.application();
      const manage = await manageWith(alone);
      const answer = await manage.send('POST', `/applications/${application.clientId}/try`);
      expect(answer).toMatchObject({ status: 409, json: { code: '9409' } });
    } finally {
      await alone.close();
    }
  });
});
