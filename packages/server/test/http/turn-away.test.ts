import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databases } from '../databases.ts';
import { countOf, type Line, pipeline, rawRequest } from './pipeline.ts';
import { startTestServer, type TestServer, uniqueName } from './start.ts';

const [sqlite] = databases as [(typeof databases)[0]];
/** As many acts as may wait, over so many connections, one behind the other. */
const WAITING = 1_000;
const CONNECTIONS = 20;

let server: TestServer;
let lock: DatabaseSync;
const lines: Line[] = [];
beforeAll(async () => {
  const url = await sqlite.fresh();
  server = await startTestServer(url);
  lock = new DatabaseSync(url.slice('sqlite:'.length));
});
afterAll(async () => {
  for (const { socket } of lines) socket.destroy();
  lock.close();
  await server.close();
});

async function open(requests: string[]): Promise<Line> {
  const line = await pipeline(server.url, requests);
  lines.push(line);
  return line;
}

/** Whoever waits for the lock gives up after 5 s, which a machine that stands still for as long would see. */
const HOW = { timeout: 60_000, retry: 2 };

it('turns requests away while too many acts wait, not who looks after it, and takes new ones again', HOW, async () => {
  const { clientId, clientSecret } = await server.application();
  const create = (): string =>
    rawRequest(
      '/api/v2/app/create-user',
      JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' }),
    );
  const key = { apiKey: clientId };
  expect((await server.send('GET', '/api/option_groups', { headers: key })).status).toBe(200);
  // On connections of their own: those of who was turned away are not heard for a second.
  const alone = async (path: string, headers = {}) => {
    const answer = await fetch(server.url + path, { headers: { connection: 'close', ...headers } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  // Nothing can be written: what comes waits.
  lock.exec('begin immediate');
  const creates = Array.from({ length: CONNECTIONS }, () => Array.from({ length: WAITING / CONNECTIONS }, create));
  const waiting = await Promise.all(creates.map(open));
  const { storage } = server.service;
  await expect.poll(() => storage.waitingActs(), { timeout: 20_000 }).toBeGreaterThanOrEqual(WAITING);
  // With a body, and without.
  const impatient = await Promise.all([open([create()]), open([rawRequest('/api/user_options')])]);
  const [turnedAway, manage, live, ready, metrics, catalog] = await Promise.all([
    server.post('/api/v2/app/create-user', {}),
    alone('/manage/v1/applications', { 'x-request-id': 'mine' }),
    ...['/livez', '/readyz', '/metrics'].map((path) => alone(path)),
    alone('/api/option_groups', key),
  ]);
  for (const line of impatient) {
    await expect.poll(() => line.text).toContain('retry-after: 1');
    line.socket.write(rawRequest('/livez'));
  }
  lock.exec('rollback');

  expect(turnedAway).toMatchObject({
    status: 503,
    json: { code: '9503', message: expect.stringContaining('Nothing') },
  });
  expect(turnedAway.headers.get('retry-after')).toBe('1');
  expect(turnedAway.headers.get('cache-control')).toBe('no-store');
  expect([manage.status, manage.headers.get('x-request-id')]).toEqual([503, 'mine']);
  // The catalog comes from memory, which costs no more than to say no.
  expect([live, ready, metrics, catalog].map((answer) => answer?.status)).toEqual([200, 200, 200, 200]);

  // Who was turned away is not heard again at once, on the same connection, but before long.
  for (const line of impatient) {
    await expect.poll(() => line.text, { timeout: 10_000 }).toContain('{"status":"ok"}');
    const [refusal, answer] = line.times as [number, number];
    expect(answer - refusal).toBeGreaterThan(450);
  }

  // All that waited was done, and is answered; the service writes things of its own, for which the last may have had to go.
  const answers = (): string => waiting.map(({ text }) => text).join('');
  await expect.poll(() => countOf(answers(), 'HTTP/1.1 '), { timeout: 20_000 }).toBe(WAITING);
  expect(countOf(answers(), 'HTTP/1.1 200 OK')).toBeGreaterThan(WAITING * 0.95);
  expect((await server.post('/api/v2/app/create-user', {})).json.code).toBe('0004');
  expect((await alone('/metrics')).text).toMatch(/status="503",code="9503"\} \d/);
});
