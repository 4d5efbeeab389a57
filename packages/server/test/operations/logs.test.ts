import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { databases } from '../databases.ts';
import { basic, bearer, SECRET } from '../http/start.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

const NAME = 'Canary Featherstone';
const EMAIL = 'canary.featherstone@example.com';
const METRICS_TOKEN = 'canary-of-the-metrics-0123456789';
const IDEMPOTENCY_KEY = 'canary-of-idempotency';

/** An insert that fails for a reason that no act expects. */
const SPOIL = {
  sqlite: `create trigger spoiled before insert on special_tokens begin select raise(abort, 'special_tokens is spoiled'); end`,
  postgres: `
    create function spoil() returns trigger language plpgsql as $$ begin raise exception 'special_tokens is spoiled'; end $$;
    create trigger spoiled before insert on special_tokens execute function spoil()`,
};
const MEND = {
  sqlite: 'drop trigger spoiled',
  postgres: 'drop trigger spoiled on special_tokens; drop function spoil()',
};

describe.each(databases)('the log of a server on $kind, at the level trace', ({ kind, fresh, execute }) => {
  let databaseUrl: string;
  let application: NewApplication;
  let server: ServeProcess;
  beforeAll(async () => {
    databaseUrl = await fresh();
    application = await makeApplication(databaseUrl);
    const settings = { databaseUrl, secret: SECRET, metricsToken: METRICS_TOKEN, logLevel: 'trace' };
    server = await serve({ settings, env: { INNKEEPER_TRUSTED_PROXIS: EMAIL } });
  });
  afterAll(endAll);

  /** The log line of a request, by its id; pino buffers lines for a moment. */
  const lineOf = (id: string) =>
    vi.waitFor(
      () => {
        const line = server.logs().find(({ reqId, status }) => reqId === id && status !== undefined);
        if (!line) throw new Error(`no line for ${id}`);
        return line;
      },
      { timeout: 30_000 },
    );

  it('is one JSON object per line with time, level and process, and a line for each request', async () => {
    const answer = await fetch(`${server.url}/api/v2/app/create-user`, { method: 'POST', body: '{}' });
    const id = answer.headers.get('x-request-id') as string;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await lineOf(id)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: expect.any(Number),
      reqId: id,
      method: 'POST',
      route: '/api/v2/app/create-user',
      address: '127.0.0.1',
      status: 400,
      code: '0004',
      ms: expect.any(Number),
    });
    // Machines poll these all day.
    for (const path of ['/livez', '/readyz', '/metrics']) {
      await fetch(server.url + path, { headers: { 'x-request-id': `unlogged${path.replace('/', '-')}` } });
    }
    await fetch(`${server.url}/nowhere`, { headers: { 'x-request-id': 'after-them' } });
    await lineOf('after-them');
    expect(server.logs().filter(({ reqId }) => String(reqId).startsWith('unlogged'))).toEqual([]);
    // A log line names an ignored variable, but not its value.
    const mistyped =
      'INNKEEPER_TRUSTED_PROXIS is not a setting and has no effect. Did you mean INNKEEPER_TRUSTED_PROXIES?';
    const reported = expect.objectContaining({ level: 'warn', msg: mistyped });
    await vi.waitFor(() => expect(server.logs()).toContainEqual(reported), { timeout: 30_000 });
    for (const line of server.stdout().split('\n').slice(0, -1)) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(String),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        pid: expect.any(Number),
      });
    }
  });

  it.each(['abc-123', 'trace:7f.9_Z', 'x'.repeat(128)])('adopts the request id %s', async (id) => {
    const answer = await fetch(`${server.url}/nowhere`, { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(await lineOf(id)).toMatchObject({ status: 404, code: '9404', path: '/nowhere' });
  });

  it.each(['x'.repeat(129), 'two words', '"quoted"', '{"a":1}', 'ü', ''])('replaces the request id %s', async (id) => {
    const answer = await fetch(`${server.url}/nowhere`, { headers: { 'x-request-id': id } });
    const given = answer.headers.get('x-request-id') as string;
    expect(given).toMatch(/^[0-9a-f-]{36}$/);
    await lineOf(given);
    if (id !== '') expect(server.stdout()).not.toContain(JSON.stringify(id).slice(1, -1));
  });

  it('includes malformed HTTP', async () => {
    const raw = connect(server.port, '127.0.0.1').setEncoding('utf8');
    raw.end('nonsense\r\n\r\n');
    const [answer] = await once(raw, 'data');
    const id = /x-request-id: (\S+)/i.exec(answer as string)?.[1] as string;
    const seen = { address: '127.0.0.1', status: 400, code: '9400', reason: expect.stringMatching(/^HPE_/) };
    expect(await lineOf(id)).toMatchObject(seen);
  });

  it('never contains a secret, a token, a name or an e-mail address, nor does any error', async () => {
    const { clientId, clientSecret } = application;
    const errors: string[] = [];
    const send = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Record<string, string>> => {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(server.url + path, {
        method,
        headers,
        ...(payload === undefined ? {} : { body: payload }),
      });
      const text = await answer.text();
      if (answer.status >= 400) errors.push(text);
      return text.startsWith('{') ? JSON.parse(text) : {};
    };
    const post = (path: string, body: unknown, headers?: Record<string, string>) => send('POST', path, body, headers);
    const create = '/api/v2/app/create-user';
    const user = { clientId, clientSecret, clientUserId: EMAIL, clientUserName: NAME };

    const { specialToken } = await post(create, user, { 'idempotency-key': IDEMPOTENCY_KEY });
    const granted = await post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    const accessToken = granted.access_token as string;
    const credentials = basic(application);
    const encoded = (credentials.authorization as string).slice('Basic '.length);
    const canaries = [
      clientSecret,
      specialToken as string,
      accessToken,
      accessToken.split('.')[2] as string,
      encoded,
      NAME,
      EMAIL,
      encodeURIComponent(EMAIL),
      METRICS_TOKEN,
      IDEMPOTENCY_KEY,
      SECRET,
      new URL(databaseUrl).password || SECRET,
    ];
    const users = `/api/v2/app/${clientId}/users`;

    // Valid requests, and every way to fail.
    await post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    await post('/oauth/v2/introspect', new URLSearchParams({ token: accessToken }).toString(), credentials);
    await post(create, user);
    await post(create, { ...user, clientUserName: 'Other' }, { 'idempotency-key': IDEMPOTENCY_KEY });
    await post(create, { ...user, clientSecret: specialToken });
    await post(create, { ...user, clientId: clientSecret });
    await post(create, { ...user, clientUserName: [NAME] });
    await post(create, { ...user, clientUserId: EMAIL.repeat(20) });
    await post(create, JSON.stringify(user).slice(0, -5));
    await post(create, `${JSON.stringify(user)}${EMAIL}`);
    await post(create, JSON.stringify({ ...user, padding: EMAIL.repeat(4_000) }));
    await post('/api/v2/app/special-token', { ...user, clientUserId: `unknown.${EMAIL}` });
    await post('/oauth/v2/get-access-token', { clientSecret: accessToken, specialToken });
    await post('/oauth/v2/get-access-token', { clientSecret, specialToken: accessToken });
    await send('DELETE', `${users}/${EMAIL}`, undefined, credentials);
    await send('DELETE', `${users}/${accessToken}`, undefined, bearer(accessToken));
    await send('DELETE', `/api/v2/app/${clientSecret}/users/${encodeURIComponent(EMAIL)}`);
    // In unexpected places.
    for (const canary of [...canaries.slice(0, 5), EMAIL]) {
      await send('GET', `/nowhere/${canary}?token=${canary}`);
      await send('GET', `/${encodeURIComponent(canary)}/%ff`);
      await send('GET', `/livez?${canary}`, undefined, { 'content-type': canary });
      await send('PATCH', `${create}?${canary}`, canary, { 'user-agent': canary, referer: canary, cookie: canary });
    }
    for (const canary of canaries.slice(0, 3)) await send('GET', '/nowhere', undefined, { 'x-request-id': canary });
    await send('GET', '/metrics', undefined, { 'x-forwarded-for': '::1', authorization: `Bearer ${METRICS_TOKEN}x` });
    const raw = connect(server.port, '127.0.0.1').on('error', () => {});
    raw.end(`GET /${accessToken} HTTP/1.1\r\nAuthorization: Basic ${encoded}\r\nbroken ${EMAIL}\r\n\r\n`);
    raw.resume();
    await once(raw, 'close');
    await send('DELETE', `${users}/${granted.service_user_code}`, undefined, bearer(accessToken));

    await lineOf((await fetch(`${server.url}/nowhere`)).headers.get('x-request-id') as string);
    expect(errors.length).toBeGreaterThan(20);
    const log = server.stdout() + server.stderr();
    for (const canary of canaries) {
      expect(log, 'in the log').not.toContain(canary);
      expect(errors.join('\n'), 'in an error').not.toContain(canary);
    }
  });

  it('has the cause of internal errors, under the id that the client got', async () => {
    await execute(databaseUrl, SPOIL[kind]);
    try {
      const { clientId, clientSecret } = application;
      const body = JSON.stringify({ clientId, clientSecret, clientUserId: `other.${EMAIL}`, clientUserName: NAME });
      const answer = await fetch(`${server.url}/api/v2/app/create-user`, { method: 'POST', body });
      expect(answer.status).toBe(500);
      const reported = await answer.text();
      expect(JSON.parse(reported).code).toBe('9500');
      expect(reported).not.toContain('special_tokens');
      const id = answer.headers.get('x-request-id') as string;
      expect(await lineOf(id)).toMatchObject({ status: 500, code: '9500' });
      const cause = server.logs().find(({ reqId, err }) => reqId === id && err !== undefined);
      expect(cause).toMatchObject({
        level: 'error',
        code: '9500',
        err: { message: expect.stringContaining('special_tokens'), stack: expect.any(String) },
      });
      expect(JSON.stringify(cause)).not.toContain(EMAIL);
      expect(JSON.stringify(cause)).not.toContain(NAME);
    } finally {
      await execute(databaseUrl, MEND[kind]);
    }
  });
});
