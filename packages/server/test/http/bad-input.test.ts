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
  ['a member named twice further down', '{"clientId":{"a":1,"b":[{"c":1, "c" :2}]}}'],
  ['__proto__', '{"__proto__":{"clientId":"x"}}'],
  ['__proto__ escaped', '{"\\u005f_proto__":{}}'],
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

  test.each(JSON_PATHS)('%s: what is not one JSON object is 0021', async (path) => {
    for (const [why, body] of NOT_JSON) {
      const { status, json } = await server.send('POST', path, { body: Buffer.from(body) });
      expect({ why, status, json }).toEqual({ why, status: 400, json: { code: '0021', message: expect.any(String) } });
    }
  });

  test.each(JSON_PATHS)('%s: more than 64 KiB is 9413', async (path) => {
    for (const size of [64 * 1024 + 1, 3 * 1024 * 1024]) {
      const { status, json } = await server.send('POST', path, { body: ' '.repeat(size) });
      expect({ status, code: json.code }).toEqual({ status: 413, code: '9413' });
    }
  });

  test('the method is wrong before the body is too large', async () => {
    const { status, json } = await server.send('PUT', '/oauth/v2/get-access-token', { body: ' '.repeat(70_000) });
    expect({ status, code: json.code }).toEqual({ status: 400, code: '0010' });
  });

  test('names that belong to every object are ordinary members', async () => {
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

  test.each([
    ['GET', '/api/v2/app/create-user', 'POST'],
    ['DELETE', '/api/v2/app/special-token', 'POST'],
    ['OPTIONS', '/api/v2/app/create-user', 'POST'],
    ['POST', '/api/v2/app/x/users/y', 'DELETE'],
    ['POST', '/livez', 'GET, HEAD'],
    ['PROPFIND', '/readyz', 'GET, HEAD'],
  ])('%s %s is 9405 with Allow', async (method, path, allow) => {
    const { status, json, headers } = await server.send(method, path);
    expect({ status, code: json.code, allow: headers.get('allow') }).toEqual({ status: 405, code: '9405', allow });
  });

  test('a malformed URL is 9400', async () => {
    const { status, json } = await server.send('DELETE', '/api/v2/app/%zz/users/x');
    expect({ status, code: json.code }).toEqual({ status: 400, code: '9400' });
  });

  test('what is not HTTP still gets a code and a message', async () => {
    const answer = async (text: string) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.end(text);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };
    expect(await answer('FOO / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
    expect(await answer('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
    const hostless = await answer('GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(hostless).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
    expect(await answer('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
    expect(await answer('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1.1 405 [\s\S]*"code":"9405"/,
    );
    expect(
      await answer('POST /api/v2/app/create-user HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 417 [\s\S]*"code":"9417"/);
    const header = `X: ${'x'.repeat(20_000)}`;
    expect(await answer(`GET /livez HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 [\s\S]*"code":"9431"/,
    );
  });

  test('area A has no CORS', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await server.send('OPTIONS', '/api/v2/app/create-user', { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('the service is as well as before', async () => {
    expect((await server.send('GET', '/readyz')).json).toEqual({ status: 'ok' });
  });
});
