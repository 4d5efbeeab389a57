import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STEPS } from '../../src/domain/overview.ts';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { withCatalog } from '../http/options/example-catalog.ts';
import { basic, bearer, makeSignedInUser, makeUser, startTestServer, type TestServer } from '../http/start.ts';
import { type Manage, manageWith } from './manage.ts';

describe.each(databases)('activity and overview of /manage/v1 on $kind', (database) => {
  let url: string;
  let server: TestServer;
  let manage: Manage;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
    manage = await manageWith(server);
  });
  afterAll(() => server.close());

  const activity = (clientId: string, query = '') => manage.get(`/applications/${clientId}/activity?${query}`);
  const overview = async (clientId: string) => (await manage.get(`/applications/${clientId}/overview`)).json;

  test('a new application lists the next steps', async () => {
    const { clientId } = await server.application();
    const nothing = { count: 0, more: false };
    expect(await overview(clientId)).toMatchObject({
      totals: { users: nothing, selections: nothing, liveTokens: nothing },
      catalog: { revision: 0, languages: 0, groups: 0, keys: 0 },
      lastDay: { requests: 0, errors: 0 },
      tokenService: { kind: 'embedded', state: 'ok', averageMilliseconds: null, lastFailedAt: null },
      lastRequestAt: null,
      steps: STEPS.map((step) => ({ step, done: false })),
    });
    // The step counts as done once the draft is published.
    const edit = (method: string, rest: string, body?: unknown) =>
      manage.send(method, `/applications/${clientId}/catalog${rest}`, body, { 'if-match': '*' });
    const done = async () => {
      const { steps } = (await overview(clientId)) as { steps: { step: string; done: boolean }[] };
      return steps.filter((each) => each.done).map(({ step }) => step);
    };
    const languages = ['en', 'de'].map((tag) => ({ name: tag, tag }));
    await edit('PUT', '/languages?draft=true', { languages });
    expect(await done()).toEqual(['languages']);
    const keys = [{ name: 'muted', type: 'boolean' }];
    expect((await edit('POST', '/groups?draft=true', { name: 'sound', keys })).status).toBe(201);
    expect(await done()).toEqual(['languages', 'options']);
    const translate = async (path: string, text: string) => {
      const texts = ['en', 'de'].map((language) => ({ path, language, text }));
      expect((await edit('PATCH', '/translations?draft=true', { texts })).status).toBe(200);
    };
    await translate('sound', 'Ton');
    expect(await done()).toEqual(['languages', 'options']);
    await translate('sound/muted', 'Stumm');
    expect(await done()).toEqual(['languages', 'options', 'translations']);
    expect((await edit('POST', '/draft/publish', {})).status).toBe(200);
    expect(await done()).toEqual(['languages', 'options', 'publish', 'translations']);
  });

  test('all activity is counted, by hour and day, and survives a restart', async () => {
    const { application, apiKey, keyNamed } = await withCatalog(server);
    const { clientId, clientSecret } = application;
    const user = await makeSignedInUser(server, application);
    await makeUser(server, application, user.clientUserId);
    const doomed = await makeSignedInUser(server, application);
    const portions = await keyNamed('portions');
    const choice = { option_group_uid: portions.option_group_uid, option_key_uid: portions.option_key_uid };
    const headers = { ...apiKey, ...bearer(user.accessToken) };
    const saved = await server.post('/api/user_options', { ...choice, value: [2] }, headers);
    await server.post('/api/user_options', { ...choice, value: [3] }, headers);
    await server.send('DELETE', `/api/user_options/${saved.json.user_options_uid}`, { headers });
    await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken: 'spent' });
    await server.send('DELETE', `/api/v2/app/${clientId}/users/${doomed.userCode}`, { headers: basic(application) });

    const total = {
      requests: 11,
      errors: 3,
      usersCreated: 2,
      usersErased: 1,
      tokensIssued: 2,
      tokensFailed: 0,
      selectionsSaved: 1,
      selectionsUnset: 1,
    };
    for (const step of ['hour', 'day']) {
      const { json } = await activity(clientId, `step=${step}`);
      expect(json).toMatchObject({
        step,
        total,
        errorsByCode: [
          { code: '0001', count: 1 },
          { code: '0008', count: 1, messages: ['specialToken is invalid: it is unknown, already used or expired.'] },
          { code: '1008', count: 1 },
        ],
      });
      expect(json.points).toHaveLength(step === 'hour' ? 24 : 30);
      const sum = (json.points as { requests: number }[]).reduce((all, { requests }) => all + requests, 0);
      expect(sum).toBe(11);
    }
    expect(await overview(clientId)).toMatchObject({
      totals: { users: { count: 1 }, selections: { count: 0 }, liveTokens: { count: 1 } },
      catalog: { revision: 1, languages: 3, groups: 3, keys: 8 },
      lastDay: total,
      tokenService: { state: 'ok', averageMilliseconds: expect.any(Number) },
      lastRequestAt: expect.stringMatching(/^\d{4}-/),
      steps: [
        { step: 'languages', done: true },
        { step: 'options', done: true },
        { step: 'publish', done: true },
        { step: 'translations', done: false },
        { step: 'user', done: true },
        { step: 'token', done: true },
        { step: 'selection', done: false },
      ],
    });

    // The counts of another process are included after it has stopped.
    const other = await startTestServer(url);
    await other.send('GET', '/api/option_groups', { headers: apiKey });
    await other.close();
    expect((await activity(clientId)).json).toMatchObject({ total: { ...total, requests: 12 } });
  });

  test('an unreachable token service is reported', async () => {
    const tokenServiceUrl = `http://127.0.0.1:${await freePort()}`;
    const remote = await startTestServer(url, {
      tokenServiceUrl,
      tokenServiceClientId: 'innkeeper',
      tokenServiceClientSecret: 'secret',
    });
    try {
      const application = await remote.application();
      const { specialToken } = await makeUser(remote, application);
      const { clientId, clientSecret } = application;
      const refused = await remote.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
      expect(refused.json.code).toBe('0009');
      const { json } = await (await manageWith(remote)).get(`/applications/${clientId}/overview`);
      expect(json).toMatchObject({
        lastDay: { tokensFailed: 1, errors: 1 },
        tokenService: { kind: 'remote', state: 'unreachable', lastFailedAt: expect.stringMatching(/^\d{4}-/) },
      });
    } finally {
      await remote.close();
    }
  });

  test('steps are complete and as requested', async () => {
    const { clientId } = await server.application();
    const { json } = await activity(clientId, 'from=2026-01-01T22:30:00Z&to=2026-01-02%2001:01:00');
    expect(json).toMatchObject({ from: '2026-01-01 22:00:00', to: '2026-01-02 02:00:00' });
    expect((json.points as { at: string }[]).map(({ at }) => at.slice(11, 13))).toEqual(['22', '23', '00', '01']);
  });

  test.each([
    ['step=week', 'step'],
    ['from=2020-01-01', 'from'],
    ['from=2099-01-01', 'from'],
    ['to=x', 'to'],
  ])('%s: 9400 and the field', async (query, field) => {
    const { clientId } = await server.application();
    expect((await activity(clientId, query)).json).toMatchObject({ code: '9400', errors: [{ field }] });
  });
});
