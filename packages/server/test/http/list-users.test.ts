import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { withCatalog } from './options/example-catalog.ts';
import { basic, startTestServer, type TestServer } from './start.ts';

type Listed = { items: { clientUserId: string; status: string }[]; next: string | null; total?: number; code?: string };

describe.each(databases)('the list of users on $kind', (database) => {
  let server: TestServer;
  let at: Awaited<ReturnType<typeof withCatalog>>;
  let fruitUid: string;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    at = await withCatalog(server);
    fruitUid = (await at.keyNamed('fruit')).option_key_uid as string;
    const chosen: [string, Record<string, unknown[]>][] = [
      ['ada', { vegetarian: [true], fruit: ['apple', 'cherry'], portions: [2] }],
      ['bob', { vegetarian: [false], fruit: ['cherry'], motto: ['a=b'.replace('=', ' ')] }],
      ['cia/x', { portions: [4], ratio: [1.5], birthday: ['1990-02-28'] }],
      ['dan', {}],
    ];
    const { clientId, clientSecret } = at.application;
    for (const [clientUserId, keys] of chosen) {
      await server.post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId, clientUserName: 'x' });
      const path = `/api/v2/app/${clientId}/users/by-client-id/${encodeURIComponent(clientUserId)}`;
      const { json } = await server.send('GET', path, { headers: basic(at.application) });
      for (const [name, value] of Object.entries(keys)) {
        const body = await at.choice(name, value, { user_uid: json.service_user_code });
        expect((await server.post('/api/user_options', body, at.apiKey)).status).toBe(201);
      }
      if (clientUserId === 'bob') {
        await server.send('PATCH', path, { headers: basic(at.application), body: '{"status":"suspended"}' });
      }
    }
  });
  afterAll(() => server.close());

  const path = () => `/api/v2/app/${at.application.clientId}/users`;
  const list = async (query: string | [string, string][] = '', headers: Record<string, string> = {}) => {
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    return server.send('GET', `${path()}?${text}`, { headers: { ...basic(at.application), ...headers } });
  };
  const where = async (...conditions: string[]) => {
    const { status, json } = await list(conditions.map((text) => ['where', text] as [string, string]));
    expect({ status, json }).toMatchObject({ status: 200 });
    return ids(json as Listed);
  };
  const effective = async (...conditions: string[]) => {
    const { json } = await list([
      ...conditions.map((text) => ['where', text] as [string, string]),
      ['effective', 'true'],
    ]);
    return ids(json as Listed);
  };
  const ids = ({ items }: Listed) => items.map(({ clientUserId }) => clientUserId).sort();

  test('returns all of them in pages, with links, and counts them', async () => {
    const whole = await list('count=true');
    expect(whole.json).toMatchObject({ next: null, total: 4 });
    const known = { 'if-none-match': whole.headers.get('etag') as string };
    expect((await list('count=true', known)).status).toBe(304);
    expect((await list('', known)).status).toBe(200);
    expect(Object.keys((whole.json as Listed).items[0] as object)).toEqual([
      ...['service_user_code', 'clientUserId', 'clientUserName', 'email', 'status', 'created_at', 'updated_at'],
    ]);
    expect('total' in (await list()).json).toBe(false);
    const seen: string[] = [];
    for (let link: string | undefined = `${path()}?limit=3&where=!kitchen.ratio%3D7&count=true`; link !== undefined; ) {
      const answer = await server.send('GET', link.replace('!kitchen', 'kitchen').replace('%3D7', '!%3D1'), {
        headers: basic(at.application),
      });
      const page = answer.json as Listed;
      expect(page.total).toBe(4);
      seen.push(...ids(page));
      const next = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      expect(next === undefined).toBe(page.next === null);
      link = next;
    }
    expect(seen.sort()).toEqual(['ada', 'bob', 'cia/x', 'dan']);
  });

  test('is filtered by clientUserId and status', async () => {
    expect(ids((await list('clientUserId=cia%2Fx')).json as Listed)).toEqual(['cia/x']);
    expect((await list('clientUserId=ci&count=true')).json).toEqual({ items: [], next: null, total: 0 });
    expect((await list('clientUserId=%00')).json).toEqual({ items: [], next: null });
    expect(ids((await list('clientUserId=bob&status=active')).json as Listed)).toEqual([]);
    expect(ids((await list('clientUserId=bob&where=kitchen.fruit%3Dcherry')).json as Listed)).toEqual(['bob']);
    expect((await list('status=suspended&count=true')).json).toMatchObject({
      items: [{ clientUserId: 'bob' }],
      total: 1,
    });
    expect(ids((await list('status=active')).json as Listed)).toEqual(['ada', 'cia/x', 'dan']);
  });

  test('is filtered by selections', async () => {
    expect(await where('kitchen.vegetarian=true')).toEqual(['ada']);
    expect(await where('kitchen.vegetarian!=true')).toEqual(['bob', 'cia/x', 'dan']);
    expect(await where('kitchen.vegetarian')).toEqual(['ada', 'bob']);
    expect(await where('!kitchen.vegetarian')).toEqual(['cia/x', 'dan']);
    expect(await where('kitchen.fruit=cherry')).toEqual(['ada', 'bob']);
    expect(await where('kitchen.fruit!=apple')).toEqual(['bob', 'cia/x', 'dan']);
    expect(await where(`${fruitUid.toUpperCase()}=cherry`, 'kitchen.portions=2')).toEqual(['ada']);
    expect(await where('kitchen.portions=4.0', 'kitchen.ratio=15e-1', 'open.birthday=1990-02-28')).toEqual(['cia/x']);
    expect(await where('kitchen.fruit=cherry', 'kitchen.vegetarian!=true', '!kitchen.portions')).toEqual(['bob']);
    expect(await where('open.motto=a b')).toEqual(['bob']);
    expect(await where('open.tags=x=y!=z')).toEqual([]);
    // Defaults: vegetarian false, fruit apple, volume 5.
    expect(await effective('kitchen.vegetarian=false')).toEqual(['bob', 'cia/x', 'dan']);
    expect(await effective('kitchen.fruit=apple')).toEqual(['ada', 'cia/x', 'dan']);
    expect(await effective('open.volume=5', 'kitchen.fruit!=apple')).toEqual(['bob']);
    expect(await effective('open.volume')).toEqual(['ada', 'bob', 'cia/x', 'dan']);
    expect(await effective('!kitchen.portions')).toEqual(['bob', 'dan']);
  });

  test.each([
    ['where=kitchen.nothing%3D1', 'kitchen.nothing'],
    ['where=', 'option key'],
    ['where=kitchen.vegetarian%3Dyes', 'true or false'],
    ['where=kitchen.portions%3D1.5', 'whole number'],
    ['where=kitchen.portions%3D0x1', 'whole number'],
    ['where=kitchen.ratio%3D', 'number'],
    ['where=open.birthday%3D2025-02-30', 'YYYY-MM-DD'],
    ['where=open.motto%3D%00', 'characters'],
    [`${'where=kitchen.fruit&'.repeat(21)}`, 'at most 20'],
    ['status=deleted', 'suspended'],
    ['status=active&status=active', 'once'],
    ['effective=1', 'true or false'],
    ['count=x', 'true or false'],
    ['limit=0', 'at least 1'],
    ['limit=-1', 'whole number'],
    ['after=nonsense', 'next'],
    [`after=${Buffer.from('[0,"x"]').toString('base64url')}`, 'next'],
  ])('%s is 9400 with the reason', async (query, reason) => {
    const { status, json } = await list(query);
    expect({ status, code: json.code }).toEqual({ status: 400, code: '9400' });
    expect(json.message).toContain(reason);
    expect(Object.keys(json)).toEqual(['code', 'message']);
  });

  test('is for the back end only', async () => {
    for (const headers of [{}, basic({ ...at.application, clientSecret: 'no' })]) {
      const { status, json } = await server.send('GET', `${path()}?where=nonsense`, { headers });
      expect({ status, code: json.code }).toEqual({ status: 400, code: '0011' });
    }
    expect((await server.send('GET', '/api/v2/app/1_x/users')).json.code).toBe('0012');
    expect((await list('limit=999')).status).toBe(200);
    expect((await list('limit=99999999999999999999')).status).toBe(200);
  });

  test('is streamed as NDJSON on request', async () => {
    const accept = { accept: 'application/x-ndjson' };
    const { headers, text } = await list('where=kitchen.fruit%3Dcherry&limit=1', accept);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { clientUserId: string });
    expect(lines.map(({ clientUserId }) => clientUserId).sort()).toEqual(['ada', 'bob']);
    expect((await list('clientUserId=nobody', accept)).text).toBe('');
    expect((await list('where=nonsense', accept)).json.code).toBe('9400');
    expect((await list('', { accept: 'application/x-ndjson;q=0.1, application/json' })).json.next).toBeNull();
    const head = await fetch(`${server.url}${path()}`, {
      method: 'HEAD',
      headers: { ...accept, ...basic(at.application) },
    });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
  });

  test('a long stream contains every user once, for any page size', async () => {
    const { clientId, clientSecret, appId } = await server.application();
    const { service } = server;
    const entries = Array.from({ length: 5_500 }, (_, index) => ({
      ...{ clientUserId: `many-${index}`, clientUserName: 'x', userId: null, newUserId: crypto.randomUUID() },
      ...{ createdAt: service.now(), selections: [] },
    }));
    const change = { at: service.now(), ifThere: 'compare' as const, importId: crypto.randomUUID() };
    for (let from = 0; from < entries.length; from += 1000) {
      await service.storage.transfer.importUsers(appId, entries.slice(from, from + 1000) as never, change as never);
    }
    const headers = { accept: 'application/x-ndjson', ...basic({ clientId, clientSecret }) };
    const response = await fetch(`${server.url}/api/v2/app/${clientId}/users?status=active`, { headers });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as { clientUserId: string }).clientUserId)).size).toBe(5_500);
    expect(lines).toHaveLength(5_500);
  });
});
