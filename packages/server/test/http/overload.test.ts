import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { sqlite } from '../databases.ts';
import { countOf, type Line, pipeline, rawRequest } from './pipeline.ts';
import { startTestServer, type TestServer, uniqueName } from './start.ts';

/** The maximum number of waiting acts. */
const WAITING = 1_000;
const AT_ONCE = 50;

const undos: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).toReversed()) await undo();
});

type Stage = { server: TestServer; close: () => Promise<void>; lock: DatabaseSync; application: NewApplication };

async function setStage(): Promise<Stage> {
  const url = await sqlite.fresh();
  // Acts wait for the lock as long as any test takes.
  const server = await startTestServer(url, {}, { actMs: 600_000 });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  undos.push(close);
  const lock = new DatabaseSync(url.slice('sqlite:'.length));
  undos.push(() => lock.close());
  return { server, close, lock, application: await server.application() };
}

async function open({ server }: Stage, requests: string[]): Promise<Line> {
  const line = await pipeline(server.url, requests);
  undos.push(() => line.socket.destroy());
  return line;
}

function create({ application: { clientId, clientSecret } }: Stage): string {
  const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' };
  return rawRequest('/api/v2/app/create-user', JSON.stringify(body));
}

/**
 * Locks the database and sends requests until the maximum number of acts wait. Each uses its own connection, because a
 * busy machine may reject some.
 */
async function fill(stage: Stage): Promise<Line[]> {
  stage.lock.exec('begin immediate');
  const { storage } = stage.server.service;
  const isRefused = ({ text }: Line): boolean => text.includes('HTTP/1.1 503');
  const waiting: Line[] = [];
  while (storage.waitingActs() < WAITING) {
    const before = storage.waitingActs();
    const lines = await Promise.all(Array.from({ length: AT_ONCE }, () => open(stage, [create(stage)])));
    const countMet = () => storage.waitingActs() - before + lines.filter(isRefused).length;
    await expect.poll(countMet, { interval: 2 }).toBeGreaterThanOrEqual(AT_ONCE);
    waiting.push(...lines.filter((line) => !isRefused(line)));
  }
  return waiting;
}

it('rejects requests while too many acts wait, except health probes, and recovers', async () => {
  const stage = await setStage();
  const { server, lock } = stage;
  const key = { apiKey: stage.application.clientId };
  expect((await server.send('GET', '/api/option_groups', { headers: key })).status).toBe(200);
  // On separate connections, because the service pauses reading from a client for a second after a 503.
  const alone = async (path: string, headers = {}) => {
    const answer = await fetch(server.url + path, { headers: { connection: 'close', ...headers } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  const waiting = await fill(stage);
  // With a body, and without.
  const impatient = await Promise.all([open(stage, [create(stage)]), open(stage, [rawRequest('/api/user_options')])]);
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
  // A client that sends everything before it reads gets the response instead of a reset.
  const slow = await open(stage, [
    'POST /api/user_options HTTP/1.1\r\nConnection: close\r\nContent-Length: 9000\r\n\r\n',
  ]);
  for (let part = 0; part < 3; part++) {
    await sleep(20);
    slow.socket.write('x'.repeat(3_000));
  }
  await expect.poll(() => slow.socket.closed).toBe(true);
  expect([countOf(slow.text, 'HTTP/1.1 503'), countOf(slow.text, 'HTTP/1.1 ')]).toEqual([1, 1]);
  lock.exec('rollback');

  expect(turnedAway).toMatchObject({
    status: 503,
    json: { code: '9503', message: expect.stringContaining('overloaded') },
  });
  expect(turnedAway.headers.get('retry-after')).toBe('1');
  expect(turnedAway.headers.get('cache-control')).toBe('no-store');
  expect([manage.status, manage.headers.get('x-request-id')]).toEqual([503, 'mine']);
  // The catalog is served from memory, which costs no more than a 503.
  expect([live, ready, metrics, catalog].map((answer) => answer?.status)).toEqual([200, 200, 200, 200]);

  // After a 503, the connection is paused for a while before its next request is read.
  for (const line of impatient) {
    await expect.poll(() => line.text).toContain('{"status":"ok"}');
    const [refusal, answer] = line.times as [number, number];
    expect(answer - refusal).toBeGreaterThan(450);
  }

  // Every waiting request is carried out and answered. The service's own writes may have displaced the last few.
  const answers = (): string => waiting.map(({ text }) => text).join('');
  await expect.poll(() => countOf(answers(), 'HTTP/1.1 ')).toBe(waiting.length);
  expect(countOf(answers(), 'HTTP/1.1 200 OK')).toBeGreaterThan(WAITING * 0.95);
  expect((await server.post('/api/v2/app/create-user', {})).json.code).toBe('0004');
  expect((await alone('/metrics')).text).toMatch(/status="503",code="9503"\} \d/);
});

it('resumes paused clients before it closes', async () => {
  const stage = await setStage();
  await fill(stage);
  const impatient = await Promise.all(Array.from({ length: 5 }, () => open(stage, [create(stage)])));
  for (const line of impatient) {
    await expect.poll(() => line.text).toContain('retry-after: 1');
    line.socket.write(create(stage));
  }
  stage.lock.exec('rollback');
  await expect.poll(() => stage.server.service.storage.waitingActs()).toBeLessThan(WAITING / 2);
  await stage.close();
  await expect.poll(() => impatient.every(({ text }) => text.includes('200 OK'))).toBe(true);
});
