import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from './start.ts';

const JSON_PATHS = ['/api/v2/app/create-user', '/api/v2/app/special-token', '/oauth/v2/get-access-token'];

/** Bodies that are not one unambiguous JSON object. */
const NOT_JSON: [string, string | Uint8Array][] = [
  ['empty', ''],
  ['white space', '  \n'],
  ['null', 'null'],
  ['an array', '[]'],
  ['a string', '"x"'],
  ['a number', '7'],
  ['cut off', '{"clientId":'],
  ['followed by more', '{}{}'],
  ['a trailing comma', '{"a":1,}'],
  ['single quotes', "{'a':1}"],
  ['a form', 'clientId=1&clientSecret=2'],
  ['a byte order mark', '\ufeff{}'],
  ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
  ['UTF-16', Buffer.from('{"clientId":"x"}', 'utf16le')],
  ['a member named twice', '{"clientId":"a","clientId":"b"}'],
  ['a member named twice, once escaped', '{"clientId":"a","client\\u0049d":"b"}'],
  ['a member named twice among many', `{${Array.from({ length: 20 }, (_, at) => `"m${at}":1`).join()},"m15":2}`],
  ['a member named twice further down', '{"clientId":{"a":1,"b":[{"c":1, "c" :2}]}}'],
  ['nested 50,000 deep', '['.repeat(25_000) + ']'.repeat(25_000)],
  ['objects nested deep', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
  ['a control character in a string', '{"clientId":"a\u0001"}'],
];

describe.each(databases)('bad input on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test.each(JSON_PATHS)('%s: a body that is not one JSON object is 0021', async (path) => {
    for (const [why, body] of NOT_JSON) {
      const { status, json } = await server.send('POST', path, { body: Buffer.from(body) });
      expect({ why, status, json }).toEqual({ why, status: 400, json: { code: '0021', message: expect.any(String) } });
    }
  });

  test.each(JSON_PATHS)('%s: a member named __proto__ is ignored like any unknown one', async (path) => {
    const bare = await server.send('POST', path, { body: '{}' });
    const members = '{"clientId":"a","clientSecret":"b","clientUserId":"c","specialToken":"d"}';
    for (const name of ['__proto__', '\\u005f_proto__', 'constructor']) {
      const { status, json } = await server.send('POST', path, { body: `{"${name}":${members}}` });
      expect({ name, status, json }).toEqual({ name, status: bare.status, json: bare.json });
    }
  });

  test.each(JSON_PATHS)('%s: more than 64 KiB is 9413', async (path) => {
    for (const size of [64 * 1024 + 1, 3 * 1024 * 1024]) {
      const { status, json } = await server.send('POST', path, { body: ' '.repeat(size) });
      expect({ status, code: json.code }).toEqual({ status: 413, code: '9413' });
    }
  });

  test('the method is checked before the body size', async () => {
    const { status, json } = await server.send('PUT', '/oauth/v2/get-access-token', { body: ' '.repeat(70_000) });
    expect({ status, code: json.code }).toEqual({ status: 400, code: '0010' });
  });

  test('names of Object.prototype are ordinary members', async () => {
    const body = '{"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":null}';
    expect((await server.send('POST', JSON_PATHS[0] as string, { body })).json.code).toBe('0004');
  });

  test.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['POST', '/api/v2/app/create-user/'],
    ['POST', '/API/V2/app/create-user'],
    ['DELETE', '/api/v2/app/x/users/y/z'],
    ['GET', '/../../etc/passwd'],
    ['PROPFIND', '/nowhere'],
  ])('%s %s is 9404', async (method, path) => {
    const { status, json } = await server.send(method, path);
    expect({ status, json }).toEqual({ status: 404, json: { code: '9404', message: expect.any(String) } });
  });

  test('a browser at the root is redirected to the portal; a program gets 9404', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const led = await server.send('GET', '/?utm=x', { headers });
    expect([led.status, led.headers.get('location'), led.headers.get('vary')]).toEqual([302, 'portal', 'Accept']);
    for (const [method, path, accept] of [
      ['GET', '/', '*/*'],
      ['GET', '/', 'application/json'],
      ['POST', '/', 'text/html'],
      ['GET', '/nowhere', 'text/html'],
    ] as const) {
      expect((await server.send(method, path, { headers: { accept } })).json.code).toBe('9404');
    }
  });

  test.each([
    ['GET', '/api/v2/app/create-user', 'POST'],
    ['DELETE', '/api/v2/app/special-token', 'POST'],
    ['OPTIONS', '/api/v2/app/create-user', 'POST'],
    ['POST', '/api/v2/app/x/users/y', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/livez', 'GET, HEAD'],
    ['PROPFIND', '/readyz', 'GET, HEAD'],
  ])('%s %s is 9405 with Allow', async (method, path, allow) => {
    const { status, json, headers } = await server.send(method, path);
    expect({ status, code: json.code, allow: headers.get('allow') }).toEqual({ status: 405, code: '9405', allow });
  });

  test('a path segment that cannot be decoded names nothing; the route decides how that is reported', async () => {
    const { clientId: apiKey } = await server.application();
    for (const [method, path, status, code] of [
      ['GET', '/nowhere/%zz', 404, '9404'],
      ['GET', '/livez%', 404, '9404'],
      ['POST', '/api/v2/app/%zz/users/%zz', 405, '9405'],
      ['GET', '/api/option_groups/%zz?limit=%zz', 404, '1004'],
      ['GET', '/api/option_groups/%ff', 404, '1004'],
      ['GET', '/api/option_keys/%e4%b8', 404, '1005'],
      ['GET', '/api/user_options/%zz', 401, '1011'],
    ] as const) {
      const answer = await server.send(method, path, { headers: { apiKey } });
      expect({ path, status: answer.status, code: answer.json.code }).toEqual({ path, status, code });
    }
  });

  /** Writes bytes to the socket and returns everything that comes back. */
  const answerTo = async (text: string) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(text);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };

  test.each([
    ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 404, '9404'],
    ['FOO / HTCPCP/1.1\r\nHost: x\r\n\r\n', 400, '9400'],
    ['F(O /livez HTTP/1.1\r\nHost: x\r\n\r\n', 400, '9400'],
    ['nonsense\r\n\r\n', 400, '9400'],
    ['GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, '9400'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, '9405'],
    ['CONNECT /oauth/v2/get-access-token HTTP/1.1\r\nHost: x\r\n\r\n', 400, '0010'],
    ['POST /api/v2/app/create-user HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n', 417, '9417'],
    [`GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, '9431'],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, '9404'],
  ])('%#: malformed HTTP gets a regular response and is counted', async (text, status, code) => {
    const count = async () => {
      const { text: samples } = await server.send('GET', '/metrics');
      const found = samples.matchAll(new RegExp(`^innkeeper_requests_total\\{.*code="${code}"\\} (\\d+)$`, 'gm'));
      return found.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const before = await count();
    const answer = await answerTo(text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^x-request-id: [\da-f-]{36}$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    expect(JSON.parse(body)).toEqual({ code, message: expect.any(String) });
    if (status === 405) expect(head).toMatch(/^allow: GET, HEAD, POST/im);
    expect(await count()).toBe(before + 1);
  });

  test.each([
    ['FOO /oauth/v2/get-access-token', 400, '0010', 'POST'],
    ['get /oauth/v2/get-access-token?a=b', 400, '0010', 'POST'],
    ['Post /oauth/v2/get-access-token', 400, '0010', 'POST'],
    ['FOO /api/v2/app/create-user', 405, '9405', 'POST'],
    ['delete /api/v2/app/%zz/users/y', 405, '9405', 'GET, HEAD, PATCH, DELETE'],
    ['get /livez', 405, '9405', 'GET, HEAD'],
  ])('%s: an unknown method is treated like an unsupported one', async (line, status, code, allow) => {
    const after = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const before of ['', after]) {
      const answer = (await answerTo(`${before}${line} HTTP/1.1\r\nHost: x\r\n\r\n`)).slice(-600);
      expect(answer).toMatch(new RegExp(`HTTP/1.1 ${status} [^]*^allow: ${allow}\r$[^]*"code":"${code}"`, 'im'));
    }
  });

  test('HTTP/1.0 needs no Host, and absolute-form targets are accepted', async () => {
    expect(await answerTo('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
    const absolute = 'DELETE http://example.com/api/v2/app/%zz/users/x HTTP/1.0\r\n\r\n';
    expect(await answerTo(absolute)).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"0012"/);
  });

  test('the users API has no CORS', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await server.send('OPTIONS', '/api/v2/app/create-user', { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('the service still works', async () => {
    expect((await server.send('GET', '/readyz')).json).toEqual({ status: 'ok' });
  });
});
