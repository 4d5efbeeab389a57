import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { memberWith } from '../portal/portal.ts';
import { type Manage, manageWith } from './manage.ts';

const UNKNOWN = '0198c5a6-4c65-7fb7-8d2e-179cadbecfd5';

describe.each(databases)('webhooks in /manage/v1 on $kind', (database) => {
  let url: string;
  let server: TestServer;
  let receiver: Receiver;
  let manage: Manage;
  let clientId: string;
  let path: string;
  beforeAll(async () => {
    url = await database.fresh();
    receiver = await startReceiver();
    server = await startTestServer(url, { webhooksAllow: '127.0.0.1' });
  });
  afterAll(() => Promise.all([server.close(), receiver.close()]));
  beforeEach(async () => {
    const application = await server.application();
    ({ clientId } = application);
    path = `/applications/${clientId}/webhooks`;
    manage = await manageWith(server, { appIds: [application.appId] });
    receiver.received.length = 0;
    receiver.answer = () => 204;
  });

  const make = async (given: object = {}) => {
    const { status, json } = await manage.send('POST', path, { url: `${receiver.url}/hook`, ...given });
    expect(status).toBe(201);
    return json as { webhookId: string; secret: string } & Record<string, unknown>;
  };

  test("viewers see a webhook's host, but not the rest of its URL", async () => {
    const { webhookId } = await make({ url: `${receiver.url}/hook?token=secret` });
    const viewer = await memberWith(server, [{ appId: Number(clientId.split('_')[0]), role: 'viewer' }]);
    for (const rest of ['', `/${webhookId}`]) {
      const { status, text } = await viewer.send('GET', path + rest);
      expect(status).toBe(200);
      expect(text).toContain(`${receiver.url}/…`);
      expect(text).not.toContain('secret=');
      expect(text).not.toContain('token');
    }
    await manage.send('PATCH', `${path}/${webhookId}`, { url: `${receiver.url}/other?token=secret` });
    const audit = `/applications/${clientId}/audit`;
    const support = await memberWith(server, [{ appId: Number(clientId.split('_')[0]), role: 'support' }]);
    for (const reader of [viewer, support]) {
      const seen = await reader.send('GET', audit);
      expect(seen.json.items).toMatchObject([
        { action: 'webhook.changed', before: { url: `${receiver.url}/…` }, after: { url: `${receiver.url}/…` } },
        { action: 'webhook.created', after: { url: `${receiver.url}/…`, types: [] } },
      ]);
      expect(seen.text).not.toContain('token=secret');
    }
    expect((await manage.get(audit)).text).toContain('/other?token=secret');
  });

  test('a webhook is created, listed, changed and deleted; its secret is shown once', async () => {
    const { secret, ...created } = await make({ types: ['user.deleted', 'user.created'], description: 'CRM' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created).toEqual({
      webhookId: expect.any(String),
      url: `${receiver.url}/hook`,
      types: ['user.created', 'user.deleted'],
      description: 'CRM',
      maxPerSecond: null,
      enabled: true,
      offReason: null,
      createdAt: expect.any(String),
      previousSecretExpiresAt: null,
      lastSuccessAt: null,
      failingSince: null,
      recent: { deliveries: 0, failed: 0, pending: 0 },
    });
    const one = `${path}/${created.webhookId}`;
    expect((await manage.get(one)).json).toEqual(created);
    const change = { url: 'https://app.example.com/', types: [], description: '', maxPerSecond: 20, enabled: false };
    const { enabled: _, ...rest } = change;
    const changed = { ...created, ...rest, enabled: false, offReason: 'manual' };
    expect((await manage.send('PATCH', one, change)).json).toEqual(changed);
    expect((await manage.send('PATCH', one, { enabled: true })).json).toMatchObject({ enabled: true, offReason: null });
    const unlimited = { ...changed, enabled: true, offReason: null, maxPerSecond: null };
    expect((await manage.send('PATCH', one, { maxPerSecond: null })).json).toEqual(unlimited);
    expect((await manage.get(path)).json).toEqual({ items: [unlimited] });
    expect((await manage.send('DELETE', one.toUpperCase().replace(/.*\/WEBHOOKS/, path))).status).toBe(204);
    expect((await manage.get(one)).json).toMatchObject({ code: '9404' });
    expect((await manage.get(path)).json).toEqual({ items: [] });
    const actions = ((await manage.get(`/applications/${clientId}/audit`)).json.items as { action: string }[]).map(
      ({ action }) => action,
    );
    expect(actions).toEqual(['webhook.deleted', ...Array(3).fill('webhook.changed'), 'webhook.created']);
    // Encrypted in the database, and in no log or audit entry.
    expect(await dump(url)).not.toContain(secret.slice('whsec_'.length));
  });

  test.each([
    [{}, 'url', 'is missing'],
    [{ url: 5 }, 'url', 'must be a string'],
    [{ url: 'example.com' }, 'url', 'must be a URL'],
    [{ url: 'http://app.example.com/' }, 'url', 'must be an https URL'],
    [{ url: 'https://10.0.0.1/' }, 'url', 'must lead to a public address'],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 'url', 'must lead to a public address'],
    [{ url: 'https://ada:pass@app.example.com/' }, 'url', 'must not contain a user name'],
    [
      { url: 'https://app.example.com/', types: ['user.created', 'user.gone'] },
      'types[1]',
      'must be one of user.created',
    ],
    [{ url: 'https://app.example.com/', types: 'user.created' }, 'types', 'must be a list'],
    [{ url: 'https://app.example.com/', description: 'a\nb' }, 'description', 'control'],
    [{ url: 'https://app.example.com/', maxPerSecond: 0 }, 'maxPerSecond', 'at least 1'],
    [{ url: 'https://app.example.com/', maxPerSecond: 1001 }, 'maxPerSecond', 'at most 1000'],
    [{ url: 'https://app.example.com/', maxPerSecond: '5' }, 'maxPerSecond', 'must be a whole number or null'],
    [{ url: 'https://app.example.com/', secret: 'x' }, 'secret', 'is unknown'],
  ])('%j is rejected', async (body, field, message) => {
    const { status, json } = await manage.send('POST', path, body);
    expect([status, json.code]).toEqual([400, '9400']);
    expect(json.errors).toMatchObject([{ field, message: expect.stringContaining(message) }]);
    expect((await manage.get(path)).json).toEqual({ items: [] });
  });

  test('an application has at most ten', async () => {
    for (let made = 0; made < 10; made++) await make();
    const { status, json } = await manage.send('POST', path, { url: receiver.url });
    expect([status, json.code, json.message]).toEqual([409, '9409', 'An application can have at most 10 webhooks.']);
  });

  test('members with read access see webhooks and cannot change them; other applications see none', async () => {
    const { webhookId } = await make();
    const reader = await manageWith(server, { access: 'read' });
    const { text } = await reader.get(`${path}/${webhookId}`);
    expect(text).not.toContain('whsec_');
    for (const [method, rest, body] of [
      ['POST', '', { url: receiver.url }],
      ['PATCH', `/${webhookId}`, { enabled: false }],
      ['DELETE', `/${webhookId}`],
      ['POST', `/${webhookId}/rotate-secret`, {}],
      ['POST', `/${webhookId}/replay`, { since: '2025-01-01' }],
      ['POST', `/${webhookId}/test`],
    ] as const) {
      expect([rest, (await reader.send(method, path + rest, body)).json.code]).toEqual([rest, '9403']);
    }
    const other = await server.application();
    const stranger = await manageWith(server, { appIds: [other.appId] });
    expect((await stranger.get(`${path}/${webhookId}`)).json.code).toBe('9404');
    const elsewhere = await stranger.get(`/applications/${other.clientId}/webhooks/${webhookId}`);
    expect(elsewhere.json).toMatchObject({ code: '9404', message: 'Webhook not found in this application.' });
    for (const id of [UNKNOWN, 'x']) expect((await manage.get(`${path}/${id}`)).json.code).toBe('9404');
  });

  test('a test is sent, signed and logged', async () => {
    const { webhookId, secret } = await make();
    receiver.answer = (_, response) => void response.writeHead(200).end('hello');
    const { json } = await manage.send('POST', `${path}/${webhookId}/test`);
    expect(json).toMatchObject({
      type: 'webhook.test',
      state: 'succeeded',
      status: 200,
      attempts: 1,
      response: 'hello',
    });
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(event).toEqual({
      id: json.eventId,
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      clientId,
      data: { webhookId },
    });
    expect(headers['webhook-id']).toBe(json.eventId);
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    receiver.answer = () => 500;
    const failed = await manage.send('POST', `${path}/${webhookId}/test`);
    expect(failed.json).toMatchObject({ state: 'failed', status: 500, nextAt: null });
    expect((await manage.get(`${path}/${webhookId}`)).json).toMatchObject({ recent: { deliveries: 2, failed: 1 } });
  });

  test('only one test per application runs at a time', async () => {
    const { webhookId } = await make();
    let answerNow = (): void => {};
    receiver.answer = () => new Promise((resolve) => (answerNow = () => resolve(204)));
    const first = manage.send('POST', `${path}/${webhookId}/test`);
    await receiver.until(1);
    const second = await manage.send('POST', `${path}/${webhookId}/test`);
    expect([second.status, second.json.code, second.headers.get('retry-after')]).toEqual([429, '9429', '10']);
    answerNow();
    expect((await first).status).toBe(200);
  });

  test('during a rotation, both secrets verify', async () => {
    const { webhookId, secret } = await make();
    const { status, json } = await manage.send('POST', `${path}/${webhookId}/rotate-secret`, { overlap: '1h' });
    expect(status).toBe(201);
    const newer = json.secret as string;
    expect((await manage.get(`${path}/${webhookId}`)).json.previousSecretExpiresAt).toBe(json.previousExpiresAt);
    const verify = async (...secrets: string[]) => {
      receiver.received.length = 0;
      await manage.send('POST', `${path}/${webhookId}/test`);
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
      return secrets.map((each) => {
        try {
          return new Webhook(each).verify(body, headers as Record<string, string>) !== undefined;
        } catch {
          return false;
        }
      });
    };
    expect(await verify(newer, secret)).toEqual([true, true]);
    const again = await manage.send('POST', `${path}/${webhookId}/rotate-secret`);
    expect(again).toMatchObject({
      status: 409,
      json: { code: '9409', message: expect.stringContaining('previous secret is still valid') },
    });
    expect(await verify(newer, secret)).toEqual([true, true]);
    const revoking = await manage.send('POST', `${path}/${webhookId}/rotate-secret`, { revokePrevious: true });
    expect(revoking.status).toBe(201);
    expect(await verify(revoking.json.secret as string, newer, secret)).toEqual([true, true, false]);
    await manage.send('POST', `${path}/${webhookId}/rotate-secret`, { overlap: '0s' });
    expect(await verify(newer, secret)).toEqual([false, false]);
    expect((await manage.get(`${path}/${webhookId}`)).json.previousSecretExpiresAt).toBeNull();
    const refused = await manage.send('POST', `${path}/${webhookId}/rotate-secret`, { overlap: '31d' });
    expect(refused.json).toMatchObject({ code: '9400', errors: [{ field: 'overlap' }] });
  });

  test('a replay requires a past time and an active webhook', async () => {
    const { webhookId } = await make();
    const replay = (since?: unknown) => manage.send('POST', `${path}/${webhookId}/replay`, { since });
    for (const since of [undefined, 5, 'yesterday', '2025-02-30', '2999-01-01']) {
      expect((await replay(since)).json).toMatchObject({ code: '9400', errors: [{ field: 'since' }] });
    }
    expect((await replay('2025-11-24 12:00:00')).status).toBe(200);
    await manage.send('PATCH', `${path}/${webhookId}`, { enabled: false });
    expect((await replay('2025-11-24')).json).toMatchObject({ code: '9409', message: 'This webhook is switched off.' });
  });
});
