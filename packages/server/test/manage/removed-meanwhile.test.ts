import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { memberWith, type Visitor } from '../portal/portal.ts';

type Member = Visitor & { accountId: string };
type Situation = { boss: Member; other: Member; path: string; tokenId: string };

const BODY = JSON.stringify({ name: 'Renamed' });

/** A request passes its permission check before its body arrives, so permissions are checked again afterwards. */
describe.each(databases)('permissions after the body has arrived, on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server?.close());

  /** Sends the head and half of the body; resolves once the service has accepted the request. */
  async function begin(path: string, token: string, other: Member): Promise<ClientRequest> {
    const sending = request(`${server.url}/manage/v1${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-length': BODY.length },
    });
    sending.write(BODY.slice(0, 9));
    await vi.waitFor(async () => {
      const { items } = (await other.send('GET', '/account/tokens')).json as { items: { lastUsedAt: unknown }[] };
      expect(items[0]?.lastUsedAt).not.toBeNull();
    }, 30_000);
    return sending;
  }

  async function finish(sending: ClientRequest) {
    sending.end(BODY.slice(9));
    const [response] = await once(sending, 'response');
    let text = '';
    for await (const part of response) text += part;
    return { status: response.statusCode as number, code: JSON.parse(text).code as unknown };
  }

  test.each([
    ['whose owner is one still', 200, undefined, async () => {}],
    [
      'whose owner was removed',
      ...[404, '9404'],
      ({ boss, other, path }: Situation) => boss.send('DELETE', `${path}/members/${other.accountId}`),
    ],
    [
      'whose owner was made a viewer',
      ...[403, '9403'],
      ({ boss, other, path }: Situation) =>
        boss.send('PATCH', `${path}/members/${other.accountId}`, { role: 'viewer' }),
    ],
    [
      'that was revoked',
      ...[401, '9401'],
      ({ other, tokenId }: Situation) => other.send('DELETE', `/account/tokens/${tokenId}`),
    ],
  ] as [string, number, string | undefined, (situation: Situation) => Promise<unknown>][])(
    'a token %s gets %i',
    async (_, status, code, meanwhile) => {
      const { appId, clientId } = await server.application();
      const path = `/applications/${clientId}`;
      const boss = await memberWith(server, [{ appId, role: 'owner' }]);
      const other = await memberWith(server, [{ appId, role: 'owner' }]);
      const { json } = await other.send('POST', '/account/tokens', { name: 'mine', access: 'own' });
      const sending = await begin(path, json.token as string, other);
      await meanwhile({ boss, other, path, tokenId: json.tokenId as string });
      expect(await finish(sending)).toEqual({ status, code });
      expect((await boss.send('GET', path)).json.name).toBe(status === 200 ? 'Renamed' : 'Test');
    },
  );

  test('a webhook is not created or changed if permission was lost while its host was looked up', async () => {
    const { appId, clientId } = await server.application();
    const path = `/applications/${clientId}`;
    const boss = await memberWith(server, [{ appId, role: 'owner' }]);
    const webhooks = async () => (await boss.send('GET', `${path}/webhooks`)).json.items as { webhookId: string }[];
    const url = 'https://example.com/hook';
    for (const kept of [[], [{ url }]]) {
      const other = await memberWith(server, [{ appId, role: 'owner' }]);
      const target = kept.length === 0 ? '' : `/${(await webhooks())[0]?.webhookId}`;
      const spy = vi.spyOn(server.service.webhookSender, 'problemWith').mockImplementationOnce(async () => {
        expect((await boss.send('DELETE', `${path}/members/${other.accountId}`)).status).toBe(204);
        return undefined;
      });
      const answer = await other.send(target === '' ? 'POST' : 'PATCH', `${path}/webhooks${target}`, {
        url: 'https://thief.example.com',
      });
      expect([answer.status, answer.json.code]).toEqual([404, '9404']);
      expect(await webhooks()).toMatchObject(kept);
      spy.mockImplementation(async () => undefined);
      if (kept.length === 0) expect((await boss.send('POST', `${path}/webhooks`, { url })).status).toBe(201);
      spy.mockRestore();
    }
  });
});
