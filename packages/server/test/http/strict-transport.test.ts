import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { sqlite } from '../databases.ts';
import { startTestServer } from './start.ts';

const PATHS = ['/portal/', '/docs', '/guide/', '/openapi.json', '/livez', '/manage/v1/session', '/api/v2/nothing'];

/** Requests that reach no route: malformed, too large, with another method, with an Expect header; and a HEAD. */
const RAW = [
  'NOT HTTP\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n',
  'TRACE /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'HEAD /portal/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
];

async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  socket.write(request);
  let answer = '';
  for await (const text of socket) {
    answer += text;
    // The head is enough; waiting for the end would hang on a connection that stays open.
    if (answer.includes('\r\n\r\n')) break;
  }
  return answer;
}

test.each([
  ['https://users.example.com', 'max-age=31536000'],
  ['http://localhost:8080', null],
])('with the public URL %s, Strict-Transport-Security is %s', async (publicUrl, wanted) => {
  const server = await startTestServer(await sqlite.fresh(), { publicUrl });
  try {
    const answers = [
      ...(await Promise.all(PATHS.map((path) => server.send('GET', path)))),
      await server.post('/api/v2/app/create-user', {}),
    ];
    const raw = await Promise.all(RAW.map((request) => sendRaw(server.url, request)));
    expect(raw.map((answer) => /^strict-transport-security: (.*)$/im.exec(answer)?.[1]?.trim() ?? null)).toEqual(
      raw.map(() => wanted),
    );
    const found = answers.map(({ headers }) => headers.get('strict-transport-security'));
    expect(found).toEqual(answers.map(() => wanted));
  } finally {
    await server.close();
  }
});
