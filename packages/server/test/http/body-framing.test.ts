import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { EXAMPLE, withCatalog } from './options/example-catalog.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer, uniqueName } from './start.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer((await databases[0]?.fresh()) as string);
});
afterAll(() => server.close());

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string };

/** With Content-Length or chunked; an empty body with Content-Length: 0 or without the header. */
async function answerTo({ method, path, headers, body }: Sent, framing: 'sized' | 'chunked') {
  const sized = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const chunked = body === undefined ? { 'content-length': '0' } : { 'transfer-encoding': 'chunked' };
  const length = framing === 'sized' ? sized : chunked;
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const url = new URL(path, server.url);
    request(url, { method, headers: { ...headers, ...length } }, resolve)
      .once('error', reject)
      .end(body);
  });
  const named = Object.entries(response.headers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { status: response.statusCode, headers: named.map(steady), body: steadyText(await text(response)) };
}

const CHANGING = new Set(['date', 'x-request-id', 'content-length', 'etag', 'location']);
const steady = ([name, value]: [string, unknown]) => [name, CHANGING.has(name) ? 'some' : value];
/** Without values that differ in every response. */
const steadyText = (body: string) =>
  body
    .replaceAll(/"(?:specialToken|access_token|user_options_uid|option_\w+_uid)":"[^"]+"/g, '"…"')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'then');

test('the framing of a body does not change the response', async () => {
  const { application, apiKey, choice } = await withCatalog(server, EXAMPLE, {
    allowedOrigins: ['https://shop.example'],
  });
  const { clientId, clientSecret } = application;
  const user = await makeSignedInUser(server, application);
  const me = { ...apiKey, ...bearer(user.accessToken) };
  const known = { clientId, clientSecret, clientUserId: user.clientUserId, clientUserName: 'Somebody' };
  const saved = { user_uid: user.userCode, ...(await choice('vegetarian', [true])) };
  const posts: [path: string, body: unknown, headers?: Record<string, string>][] = [
    ['/api/v2/app/create-user', known],
    ['/api/v2/app/create-user', { ...known, clientSecret: 'wrong' }],
    ['/api/v2/app/create-user', { ...known, clientUserId: uniqueName() }, { 'idempotency-key': ' ' }],
    ['/api/v2/app/special-token', { ...known, clientUserName: undefined }],
    ['/api/v2/app/special-token', []],
    ['/oauth/v2/get-access-token', { clientSecret, specialToken: 'spent' }],
    ['/oauth/v2/introspect', {}, { ...basic(application), accept: 'application/problem+json' }],
    ['/api/user_options', saved, apiKey],
    ['/api/user_options', saved, { ...apiKey, origin: 'https://shop.example' }],
    ['/api/user_options', { ...saved, value: ['perhaps'] }, apiKey],
    ['/api/user_options', { ...saved, spelt: 'wrong' }, { ...apiKey, 'content-type': 'text/plain; charset=utf-16' }],
    ['/api/user_options?x=1', saved, {}],
  ];
  const gets = ['', '?', '?effective=true&language=de', '?limit=1&limit=2', '?offset=-1', '?option_group_name=%zz'];
  const requests: Sent[] = [
    ...posts.map(([path, body, headers = {}]) => ({ method: 'POST', path, headers, body: JSON.stringify(body) })),
    { method: 'PUT', path: '/api/user_options', headers: me, body: JSON.stringify({ options: [saved] }) },
    { method: 'POST', path: '/oauth/v2/introspect', headers: basic(application), body: `token=${user.accessToken}` },
    { method: 'POST', path: '/api/v2/app/create-user', body: '{"clientId":1,"clientId":2}' },
    ...gets.map((query) => ({ method: 'GET', path: `/api/user_options${query}`, headers: me })),
    { method: 'GET', path: '/api/user_options', headers: { ...me, 'if-none-match': '*' } },
    { method: 'GET', path: '/api/user_options', headers: apiKey },
  ];
  await answerTo(requests.find(({ path }) => path === '/api/user_options') as Sent, 'sized');
  for (const sent of requests) {
    expect(await answerTo(sent, 'sized'), `${sent.method} ${sent.path} ${sent.body}`).toEqual(
      await answerTo(sent, 'chunked'),
    );
  }
});
