import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWebhook } from '../../src/domain/webhooks/manage-webhooks.ts';
import { databases } from '../databases.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { makeUser, startTestServer, type TestServer } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

const UNKNOWN = '0198c5a6-4c65-7fb7-8d2e-179cadbecfd5';
const ALLOW = '127.0.0.1';
const WAIT = { timeout: 60_000, interval: 100 };

// All of it runs beside a server on the same database.
describe.each(databases)('innkeeper webhook on $kind', ({ fresh }) => {
  let server: TestServer;
  let receiver: Receiver;
  let here: ReturnType<typeof commandLine>;
  let runRemotely: ReturnType<typeof commandLine>;
  beforeAll(async () => {
    const url = await fresh();
    server = await startTestServer(url, { webhooksAllow: ALLOW });
    receiver = await startReceiver();
    here = commandLine(url, (args, settings) => inThread(args, { ...settings, INNKEEPER_WEBHOOKS_ALLOW: ALLOW }));
    const { token } = await here.json('token', 'create', '--name', 'ci', '--access', 'write');
    const remote = { INNKEEPER_URL: server.url, INNKEEPER_TOKEN: token };
    runRemotely = commandLine(url, (args) => inThread(args, remote));
  });
  afterAll(() => Promise.all([server?.close(), receiver?.close()]));

  describe.each(['the database', 'afar'])('from %s', (place) => {
    let cli: ReturnType<typeof commandLine>;
    let application: Awaited<ReturnType<TestServer['application']>>;
    let app: string[];
    beforeEach(async () => {
      cli = place === 'afar' ? runRemotely : here;
      application = await server.application();
      app = ['--app', application.clientId];
      receiver.received.length = 0;
      receiver.answer = () => 204;
    });

    const webhook = (...args: string[]) => cli.json('webhook', ...args, ...app);
    const run = (...args: string[]) => cli.run('webhook', ...args, ...app);

    test('create, list, show, set, rotate-secret and delete', async () => {
      const types = ['--type', 'user.deleted', '--type', 'user.created'];
      const { secret, ...made } = await webhook('create', receiver.url, ...types, '--description', 'CRM');
      expect(secret).toMatch(/^whsec_/);
      expect(made).toMatchObject({ url: receiver.url, types: ['user.created', 'user.deleted'], description: 'CRM' });
      expect(await webhook('list')).toEqual([made]);
      const { webhookId } = made;
      expect(await webhook('show', webhookId.toUpperCase())).toEqual(made);
      const listed = await run('list');
      expect(listed.stdout).toMatch(/^WEBHOOK ID +STATE +LAST SUCCESS \(UTC\) +FAILED +TYPES +ENDPOINT\n/);
      expect(listed.stdout).toContain(`${webhookId}   on      never`);
      expect((await run('show', webhookId)).stdout).toMatch(/description +CRM\n +types +user.created, user.deleted\n/);
      // The local command line shows the same.
      expect(await run('show', webhookId)).toMatchObject({
        stdout: (await here.run('webhook', 'show', webhookId, ...app)).stdout,
      });

      const changed = await webhook(
        'set',
        webhookId,
        `${receiver.url}/new`,
        '--all-types',
        '--disable',
        '--max-per-second',
        '20',
      );
      expect(changed).toMatchObject({ url: `${receiver.url}/new`, types: [], description: 'CRM', offReason: 'manual' });
      expect(changed.maxPerSecond).toBe(20);
      expect((await run('show', webhookId)).stdout).toMatch(/limit +20 requests a second\n/);
      expect(await webhook('set', webhookId, '--max-per-second', 'none')).toMatchObject({ maxPerSecond: null });
      for (const bad of ['0', '1001', '2.5', 'all']) {
        expect(await run('set', webhookId, '--max-per-second', bad)).toMatchObject({ code: 2 });
      }
      expect((await run('list')).stdout).toContain(`${webhookId}   off `);
      const again = await webhook('set', webhookId, '--type', 'user.updated', '--description', '', '--enable');
      expect(again).toMatchObject({ types: ['user.updated'], description: '', enabled: true });

      const rotated = await webhook('rotate-secret', webhookId, '--overlap', '1h');
      expect(Object.keys(rotated)).toEqual(['secret', 'previousExpiresAt']);
      const refused = await run('rotate-secret', webhookId);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/previous secret is still valid.*\n.*--revoke-previous/);
      await webhook('test', webhookId);
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
      for (const each of [secret, rotated.secret]) {
        expect(new Webhook(each).verify(body, headers as Record<string, string>)).toMatchObject({
          type: 'webhook.test',
        });
      }

      await webhook('rotate-secret', webhookId, '--revoke-previous');
      expect(await webhook('delete', webhookId)).toEqual({ webhookId, url: `${receiver.url}/new`, deleted: true });
      expect(await webhook('list')).toEqual([]);
      expect((await run('list')).stdout).toContain('innkeeper webhook create');
      const { stdout } = await run('create', receiver.url);
      expect(stdout).toMatch(/webhookId +[0-9a-f-]{36}\n +secret +whsec_/);
    });

    test('events arrive; deliveries lists them, and resend sends one again', async () => {
      receiver.answer = () => 500;
      const { webhookId } = await webhook('create', receiver.url, '--type', 'user.created');
      await makeUser(server, application);
      const failed = () => webhook('deliveries', webhookId, '--state', 'pending');
      const [delivery] = await vi.waitFor(async () => {
        const { items } = await failed();
        expect(items).toMatchObject([{ type: 'user.created', state: 'pending', attempts: 1, status: 500 }]);
        return items;
      }, WAIT);
      expect((await run('deliveries', webhookId)).stdout).toMatch(
        /^DELIVERY ID +CREATED \(UTC\) +TYPE +STATE +TRIES +RESPONSE\n.* user.created +pending +1 +HTTP 500 in \d+ ms; next try /,
      );
      receiver.answer = () => 204;
      expect(await webhook('resend', webhookId, delivery.deliveryId)).toMatchObject({ eventId: delivery.eventId });
      const [, second] = await receiver.until(2);
      expect(second?.headers['webhook-id']).toBe(delivery.eventId);
      await vi.waitFor(async () => {
        const { items } = await webhook('deliveries', webhookId, '--state', 'succeeded');
        expect(items).toMatchObject([{ deliveryId: delivery.deliveryId, status: 204 }]);
      }, WAIT);

      const test = await webhook('test', webhookId);
      expect(test).toMatchObject({ type: 'webhook.test', state: 'succeeded', status: 204 });
      const page = await webhook('deliveries', webhookId, '--limit', '1');
      expect(page).toMatchObject({ items: [{ deliveryId: test.deliveryId }], next: test.deliveryId });
      const rest = await webhook('deliveries', webhookId, '--after', page.next);
      expect(rest).toMatchObject({ items: [{ deliveryId: delivery.deliveryId }], next: null });
      expect((await run('deliveries', webhookId, '--limit', '1')).stdout).toContain(`--after ${page.next}`);
      const again = await run('resend', webhookId, test.deliveryId);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('test cannot be sent again') });
    });

    test('a test that fails exits with 1 and shows the response', async () => {
      receiver.answer = (_, response) => void response.writeHead(503).end('down\u001b[2J');
      const { webhookId } = await webhook('create', receiver.url);
      const { code, stdout, stderr } = await run('test', webhookId);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout).toMatch(/^Failed: HTTP 503 in \d+ ms\.\n\ndown\\u\{1b\}\[2J\n$/);
      await webhook('set', webhookId, '--disable');
      const json = await run('test', webhookId, '--json');
      expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { state: 'failed', status: 503 }]);
      const off = await run('resend', webhookId, JSON.parse(json.stdout).deliveryId);
      expect(off).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--enable') });
    });

    test('usage errors exit with 2, and missing things with 1', async () => {
      const { webhookId } = await webhook('create', receiver.url);
      for (const [args, code, reported] of [
        [['create'], 2, "missing required argument 'ENDPOINT'"],
        [['create', 'example.com'], 2, 'ENDPOINT must be a URL'],
        [['create', 'https://10.0.0.1/'], 2, 'ENDPOINT must lead to a public address'],
        [['create', receiver.url, '--type', 'user.gone'], 2, 'must be one of user.created'],
        [['create', receiver.url, '--description', 'a\nb'], 2, '--description'],
        [['set', webhookId], 2, 'nothing to change'],
        [['set', webhookId, '--enable', '--disable'], 2, 'cannot be used with'],
        [['set', webhookId, '--type', 'user.created', '--all-types'], 2, 'cannot be used with'],
        [['set', webhookId, 'ftp://example.com'], 2, 'ENDPOINT must be a URL'],
        [['rotate-secret', webhookId, '--overlap', '5'], 2, 'overlap'],
        [['deliveries', webhookId, '--limit', '201'], 2, 'from 1 to 200'],
        [['deliveries', webhookId, '--after', 'x'], 2, 'id of a delivery'],
        [['deliveries', webhookId, '--state', 'lost'], 2, 'pending'],
        [['show', UNKNOWN], 1, 'innkeeper webhook list'],
        [['show', 'x'], 1, 'no webhook of this application has the id "x"'],
        [['delete', UNKNOWN], 1, 'innkeeper webhook list'],
        [['test', '../x'], 1, 'innkeeper webhook list'],
        [['resend', webhookId, UNKNOWN], 1, 'innkeeper webhook deliveries'],
      ] as [string[], number, string][]) {
        const ending = await run(...args);
        expect([args, ending]).toMatchObject([args, { code, stdout: '', stderr: expect.stringContaining(reported) }]);
      }
      const elsewhere = await cli.run('webhook', 'list', '--app', '1_nobody');
      expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no application with the clientId') });
      const another = { url: receiver.url, types: [], description: '', maxPerSecond: null };
      for (let made = 1; made < 10; made++) await createWebhook(server.service, application, another);
      const many = await run('create', receiver.url);
      expect(many).toMatchObject({ code: 1, stderr: expect.stringContaining('at most 10 webhooks') });
      expect(many.stderr).toContain('Delete a webhook first');
    });
  });
});
