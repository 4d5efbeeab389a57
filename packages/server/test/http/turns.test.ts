import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { databases } from '../databases.ts';
import { countOf, type Line, pipeline, rawRequest } from './pipeline.ts';
import { startTestServer, type TestServer, uniqueName } from './start.ts';

const [sqlite] = databases as [(typeof databases)[0]];
/** More than one turn of the event loop responds to. */
const MANY = 300;

let server: TestServer;
let clientId: string;
const lines: Line[] = [];
beforeAll(async () => {
  server = await startTestServer(await sqlite.fresh());
  ({ clientId } = await server.application());
});
afterAll(async () => {
  for (const { socket } of lines) socket.destroy();
  await server.close();
});

async function open(requests: string[]): Promise<Line> {
  const line = await pipeline(server.url, requests);
  lines.push(line);
  return line;
}

it('responds in request order, even if some wait for the next turn', async () => {
  const paths = ['/api/user_options', '/livez', '/nowhere', '/api/option_groups'];
  const heads = Array.from({ length: MANY }, (_, at) => `X-Request-Id: n${at}\r\napiKey: ${clientId}\r\n`);
  const line = await open(heads.map((headers, at) => rawRequest(paths[at % paths.length] as string, '', headers)));
  await expect.poll(() => countOf(line.text, 'x-request-id: ')).toBe(MANY);
  const answered = [...line.text.matchAll(/x-request-id: (n\d+)/g)].map(([, id]) => id);
  expect(answered).toEqual(heads.map((_, at) => `n${at}`));
  const statuses = [...line.text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
  // If the machine stalls for half a second, requests that yield to others are rejected.
  const expected = [/401|503/, /200/, /404|503/, /200/];
  for (const [at, status] of statuses.entries()) expect(status).toMatch(expected[at % 4] as RegExp);
});

const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

it.each([
  ['an invalid one', 'NONE\r\n\r\n', ['200', '400']],
  ['CONNECT', CONNECT, ['200', '405']],
  ['closes when the client has', '', ['200']],
])('responds to a waiting request, and then %s', async (_, next, statuses) => {
  const application = await server.application();
  const { clientSecret } = application;
  const body = { clientId: application.clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' };
  const line = await open([rawRequest('/api/v2/app/create-user', JSON.stringify(body)) + next]);
  if (next === '') line.socket.end();
  await expect.poll(() => line.socket.closed).toBe(true);
  expect([...line.text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(statuses);
});

it('reads no more of a client than it can answer', async () => {
  const requests = rawRequest('/api/option_groups', '', `apiKey: ${clientId}\r\n`).repeat(1_000);
  const line = await open([]);
  // More than the buffers in between can hold, while the client reads no response.
  line.socket.pause();
  for (let count = 0; count < 400; count++) line.socket.write(requests);
  for (let count = 0; count < 5; count++) expect((await server.send('GET', '/livez')).status).toBe(200);
  const takenIn = async (ms: number): Promise<number> => {
    const before = line.socket.writableLength;
    await sleep(ms);
    return before - line.socket.writableLength;
  };
  await expect.poll(() => takenIn(300)).toBe(0);
  expect(line.socket.writableLength).toBeGreaterThan(0);
});

it('reads one large body per turn, however many arrive together', async () => {
  // Longer than what the request log parses again.
  const body = JSON.stringify({ clientId, text: 'x'.repeat(20_000) });
  const crowd = await Promise.all(Array.from({ length: 20 }, () => open([])));
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  const readIn: number[] = [];
  const read = JSON.parse;
  const parse = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text === body) readIn.push(turn);
    return read(text, reviver);
  });
  try {
    count();
    for (const { socket } of crowd) socket.write(rawRequest('/api/v2/app/create-user', body));
    await expect.poll(() => crowd.every(({ text }) => text.includes('HTTP/1.1 400'))).toBe(true);
  } finally {
    isOver = true;
    parse.mockRestore();
  }
  expect(readIn).toHaveLength(crowd.length);
  expect(new Set(readIn).size).toBe(readIn.length);
});

it('serves others while many open connections send without a break', async () => {
  const ask = rawRequest('/api/option_groups', '', `apiKey: ${clientId}\r\n`);
  let over = false;
  const crowd = await Promise.all(Array.from({ length: 3 * MANY }, () => open([])));
  for (const { socket } of crowd) {
    socket.on('data', () => over || socket.write(ask));
    socket.write(ask);
  }
  try {
    // On separate connections, of which one is accepted per turn.
    const late = await Promise.all(Array.from({ length: 40 }, () => open([])));
    for (const line of late) {
      // On a busy machine, some wait for half a second and are rejected: retry them.
      line.socket.on('data', () => line.text.includes('200 OK') || line.socket.write(ask));
      line.socket.write(ask);
    }
    await expect.poll(() => late.every(({ text }) => text.includes('200 OK'))).toBe(true);
  } finally {
    over = true;
  }
});

it('rejects requests that waited for half a second, except health probes', async () => {
  const crowd = await Promise.all(Array.from({ length: 2 * MANY }, () => open([rawRequest('/livez')])));
  await expect.poll(() => crowd.every(({ text }) => text.includes('200 OK'))).toBe(true);
  const watch = crowd.pop() as Line;
  for (const line of [watch, ...crowd]) line.text = '';
  // Simulates a slow machine: each turn takes this long.
  const TURN_MS = 200;
  let over = false;
  const dawdle = (): void => {
    for (const until = performance.now() + TURN_MS; performance.now() < until; );
    if (!over) setImmediate(dawdle);
  };
  for (const { socket } of crowd) socket.write(rawRequest('/api/user_options', '', `apiKey: ${clientId}\r\n`));
  watch.socket.write(rawRequest('/livez'));
  dawdle();
  const text = (): string => crowd.map((line) => line.text).join('');
  await expect.poll(() => countOf(text(), 'HTTP/1.1 ')).toBe(crowd.length);
  over = true;
  const turnedAway = countOf(text(), 'HTTP/1.1 503 ');
  expect(turnedAway).toBeGreaterThan(0);
  expect(countOf(text(), 'HTTP/1.1 401 ')).toBe(crowd.length - turnedAway);
  expect(countOf(text(), '"code":"9503"')).toBe(turnedAway);
  expect(countOf(text(), 'retry-after: 1')).toBe(turnedAway);
  expect(watch.text).toContain('200 OK');
});
