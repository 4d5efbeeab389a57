import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOptionsClient, InnkeeperError, selectionOf } from '../src/index.ts';
import { createManageClient } from '../src/manage.ts';
import { createUsersClient } from '../src/users.ts';
import { json, startFaultServer } from './fault-server.ts';

let server: Awaited<ReturnType<typeof startFaultServer>>;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());

const busy = (status: number, headers = {}) => json(status, { code: `9${status}`, message: 'Later.' }, headers);
const none = json(200, { items: [], total: 0, offset: 0, limit: 200 });
const USER = { clientUserId: 'a', clientUserName: 'A' };
const KEY = { option_group_uid: 'g', option_key_uid: 'k' };

const options = (more = {}) =>
  createOptionsClient({ baseUrl: server.url, apiKey: '1_a', accessToken: 'token', ...more });
const users = (more = {}) => createUsersClient({ baseUrl: server.url, clientId: '1_a', clientSecret: 's', ...more });

/** Returns the error, which must always be of this one class. */
async function failure(act: () => Promise<unknown>): Promise<InnkeeperError> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InnkeeperError)) throw new Error(`not of our class: ${error}`);
  return error;
}

test('no server, a timeout, a truncated response, and an aborted request', async () => {
  const nobody = createOptionsClient({ baseUrl: 'http://127.0.0.1:1', apiKey: '1_a' });
  expect(await failure(() => nobody.groups().all())).toMatchObject({ code: 'unreachable', status: 0, errors: [] });

  server.script(() => {});
  expect(await failure(() => options({ timeout: 30 }).key('k'))).toMatchObject({ code: 'timeout', status: 0 });
  expect(await failure(() => options().key('k', { signal: AbortSignal.timeout(30) }))).toMatchObject({
    code: 'aborted',
  });
  expect(await failure(() => options().save(KEY, 'a', { signal: AbortSignal.abort() }))).toMatchObject({
    code: 'aborted',
    operation: 'post /api/user_options',
  });

  server.script((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"items":');
    setTimeout(() => response.destroy(), 10);
  });
  expect(await failure(() => options().groups().all())).toMatchObject({ code: 'unreachable' });
});

test.each([
  ['half of a JSON text', 200, 'application/json', '{"items":'],
  ['JSON that is not an object', 200, 'application/json', 'null'],
  ['a page of a proxy', 200, 'text/html', '<h1>Sign in to the network</h1>'],
  ['a list without items', 200, 'application/json', '{"total":3}'],
  ['nothing', 200, 'application/json', ''],
  ['no content', 204, 'application/json', ''],
  ['a text', 200, 'text/plain', 'hello'],
  ['an empty object', 200, 'application/json', '{}'],
  ['an empty list', 200, 'application/json', '[]'],
  ['a redirect', 307, 'text/plain', ''],
  ['an error from a proxy', 502, 'text/html', '<h1>Bad gateway</h1>'],
  ['an error without a code', 400, 'application/json', '{"error":"?"}'],
])('%s is a garbled answer', async (_, status, type, body) => {
  server.script((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
  for (const act of [
    () => options().keys().all(),
    () => options().selections().all(),
    () => options().save('a.b', 1),
    () => options().save(KEY, 1),
    () => options().saveAll({}),
    () => options().key('k'),
    () => users().createUser(USER),
    () => users().signIn(USER),
    () => users().introspect('t'),
    () => createManageClient({ baseUrl: server.url }).list('/manage/v1/applications').all(),
    ...(status === 204 ? [() => createManageClient({ baseUrl: server.url }).get('/manage/v1/session')] : []),
    // Operations without a response body succeed if there is none.
    ...(body ? [() => options().unset('u'), () => users().deleteUser('u'), () => users().revoke('t')] : []),
  ]) {
    expect(await failure(act)).toMatchObject({ code: 'garbled', errors: [], status, operation: expect.any(String) });
  }
});

test('a list whose next link leads back ends', async () => {
  for (const page of [
    { items: [], next: 'x' },
    { items: [KEY], total: 5, offset: 0 },
  ]) {
    server.script(json(200, page));
    expect(await failure(() => options().groups().all())).toMatchObject({ code: 'garbled' });
    expect(server.seen).toHaveLength(2);
  }
});

test('redirects are not followed', async () => {
  server.script((_, response) => response.writeHead(307, { location: `${server.url}/elsewhere` }).end(), none);
  expect(await failure(() => users().createUser(USER))).toMatchObject({ code: 'garbled', status: 307 });
  expect(server.seen).toHaveLength(1);
});

test('any number is a valid timeout', async () => {
  server.script(none);
  for (const timeout of [Number.POSITIVE_INFINITY, 1e10, 2000.5, 0, -1, Number.NaN]) {
    await expect(options({ timeout }).groups().all()).resolves.toEqual([]);
  }
});

test('waiting for a token or key is limited like everything else', async () => {
  server.script(none);
  const rejections: unknown[] = [];
  const hanging = options({
    timeout: 50,
    accessToken: (rejected: unknown) => {
      rejections.push(rejected);
      return rejections.length < 3 ? new Promise(() => {}) : 'token';
    },
  });
  const operation = 'get /api/user_options';
  expect(await failure(() => hanging.selections().all())).toMatchObject({ code: 'timeout', operation });
  const unwanted = { signal: AbortSignal.timeout(10) };
  expect(await failure(() => hanging.selections(unwanted).all())).toMatchObject({ code: 'aborted', operation });
  expect(await failure(() => hanging.selections().all())).toMatchObject({ code: 'timeout' });
  await expect(hanging.selections().all()).resolves.toEqual([]);

  server.script(() => {});
  expect(await failure(() => options().save('a.b', 1, { signal: AbortSignal.timeout(30) }))).toMatchObject({
    code: 'aborted',
  });
});

test('unexpected members of a response are dropped', async () => {
  server.script(json(422, { code: '1008', message: 'No.', errors: [null, 'x', { field: 1 }] }));
  expect(await failure(() => options().save(KEY, 'a'))).toMatchObject({ code: '1008', errors: [] });
  server.script(json(200, { items: [null], total: 1, offset: 0, limit: 200 }));
  expect(await failure(() => options().save('a.b', 1))).toMatchObject({
    code: 'unknown_key',
    operation: 'post /api/user_options',
  });
  await expect(options().keys().all()).resolves.toEqual([]);
});

test('unsendable requests, and requests without a token', async () => {
  const nowhere = createOptionsClient({ baseUrl: 'not a URL', apiKey: '1_a' });
  expect(await failure(() => nowhere.key('k'))).toMatchObject({ code: 'misused' });
  expect(await failure(() => options({ apiKey: 'a\nb' }).key('k'))).toMatchObject({ code: 'misused' });
  expect(await failure(() => options().save(KEY, 1n as never))).toMatchObject({ code: 'misused' });
  const tokenless = options({ accessToken: undefined });
  expect(await failure(() => tokenless.save(KEY, 'a'))).toMatchObject({ code: 'no_token' });
  const refusing = options({ accessToken: () => Promise.reject(new Error('signed out')) });
  expect(await failure(() => refusing.selections().all())).toMatchObject({
    code: 'no_token',
    operation: 'get /api/user_options',
    cause: expect.objectContaining({ message: 'signed out' }),
  });
});

test('an error page instead of a token is not cached, and the next call asks again', async () => {
  server.script(none);
  const given = ['<html>\n<h1>502 Bad Gateway</h1>', 'Not found', '', 'token'];
  const unlucky = options({ accessToken: () => given.shift() as string });
  for (let calls = 0; calls < 3; calls++) {
    expect(await failure(() => unlucky.selections().all())).toMatchObject({ code: 'no_token' });
  }
  await expect(unlucky.selections().all()).resolves.toEqual([]);
});

test('functions throw only one class of error, for any arguments', async () => {
  server.script(none);
  const trap = () => {
    throw new RangeError('a trap');
  };
  const odd = [undefined, null, 5n, Symbol('odd'), Object.create(null), new Proxy({}, { get: trap, ownKeys: trap })];
  const makers = [createOptionsClient, createUsersClient, createManageClient] as ((given: unknown) => object)[];
  const connection = { baseUrl: server.url, apiKey: '1_a', accessToken: 't', clientId: '1_a', clientSecret: 's' };
  const clients = [...makers.map((make) => make(connection)), users().optionsOf('u')];
  const calls: ((given: unknown) => unknown)[] = [
    ...makers,
    ...makers.map((make) => (given: unknown) => make({ ...connection, headers: given, clientId: given, token: given })),
    ...clients.flatMap((client) => Object.values(client)),
    ...clients.flatMap((client) => Object.values(client).map((call) => (given: unknown) => call(KEY, given))),
    ...clients.flatMap((client) => Object.values(client).map((call) => (given: unknown) => call(KEY, 'x', given))),
    (given) => selectionOf(given as never, given as never),
    (given) => selectionOf({} as never, [given] as never),
  ];
  for (const call of calls) {
    for (const given of odd) {
      const thrown = await (async () => {
        const made = await call(given);
        if (made && typeof made === 'object' && Symbol.asyncIterator in made) await (made as { all(): unknown }).all();
      })().catch((error: unknown) => error);
      if (thrown !== undefined) expect(thrown).toBeInstanceOf(InnkeeperError);
    }
  }
  expect(() => createUsersClient(undefined as never)).toThrow(expect.objectContaining({ code: 'misused' }));
});

test('many keys are looked up with one read of the catalog', async () => {
  const listed = ['b', 'c', 'd'].map((name) => ({ ...KEY, option_group_name: 'a', name }));
  server.script(json(200, { items: listed, total: 3, offset: 0, limit: 200 }));
  await options().saveAll({ 'a.b': 1, 'a.c': 2, 'a.d': 3 });
  expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'PUT']);
});

test('requests are retried after 429 and 503 according to Retry-After, and only if that is safe', async () => {
  server.script(busy(429, { 'retry-after': '0' }), busy(503), none);
  await expect(options().groups().all()).resolves.toEqual([]);
  expect(server.seen).toHaveLength(3);

  // No more often than configured.
  server.script(busy(503));
  expect(await failure(() => options({ retries: 1 }).groups().all())).toMatchObject({ code: '9503', status: 503 });
  expect(server.seen).toHaveLength(2);

  // A delay of a second is waited for, within the precision of timers.
  server.script(busy(503, { 'retry-after': '1' }), json(200, { user_options_uid: 'u' }));
  const before = performance.now();
  await options().save(KEY, 'a');
  expect(performance.now() - before).toBeGreaterThan(990);

  // Half an hour is not: the caller decides.
  server.script(busy(429, { 'retry-after': '1800' }));
  expect(await failure(() => options().groups().all())).toMatchObject({ code: '9429', retryAfter: 1800 });
  expect(server.seen).toHaveLength(1);

  // As an HTTP date.
  server.script(busy(503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }));
  expect((await failure(() => options().groups().all())).retryAfter).toBeGreaterThan(3590);
  server.script(busy(503, { 'retry-after': 'soon' }));
  expect((await failure(() => options({ retries: 0 }).groups().all())).retryAfter).toBeUndefined();

  // Not safe: the specialToken may have been spent, the user deleted, the application created.
  server.script(busy(503));
  await failure(() => users().getAccessToken('st'));
  await failure(() => users().deleteUser('u'));
  const manage = createManageClient({ baseUrl: server.url, token: 't' });
  await failure(() => manage.post('/manage/v1/applications', { body: { name: 'A' } }));
  expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'POST']);

  // Other errors are not retried.
  server.script(busy(500));
  await failure(() => options().groups().all());
  expect(server.seen).toHaveLength(1);
});

test('a conflict on a retry after a 503 may be with the first attempt, so the 503 is reported', async () => {
  const conflict = json(412, { code: '1014', message: 'It was changed.', current: null });
  const save = () => options().save(KEY, 'a', { ifMatch: 'e' });
  server.script(busy(503), conflict);
  expect(await failure(save)).toMatchObject({ code: '9503' });
  // A 429 means that nothing was done.
  server.script(busy(429), conflict);
  expect(await failure(save)).toMatchObject({ code: '1014' });
});

test('waiting for a retry can be aborted', async () => {
  server.script(busy(503, { 'retry-after': '9' }));
  const before = performance.now();
  const error = await failure(() => options().key('k', { signal: AbortSignal.timeout(50) }));
  expect(error.code).toBe('aborted');
  expect(performance.now() - before).toBeLessThan(5000);
});

test('create-user is retried with the same key; another call has another key', async () => {
  const created = json(200, { specialToken: 'st' });
  server.script(busy(503), created);
  await users().createUser({ clientUserId: 'a', clientUserName: 'A' });
  await users().createUser({ clientUserId: 'b', clientUserName: 'B' });
  const [first, again, other] = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[\da-f-]{36}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('many calls with an expired token ask the page for one new token', async () => {
  const rejections: (string | undefined)[] = [];
  const refusing = json(401, { code: '1007', message: 'The access token is not valid.' });
  server.script((request, response) =>
    (request.headers.authorization === 'Bearer new' ? none : refusing)(request, response),
  );
  const client = options({
    accessToken: (rejected: string | undefined) => {
      rejections.push(rejected);
      return rejected === undefined ? 'old' : 'new';
    },
  });
  await Promise.all(Array.from({ length: 5 }, () => client.selections().all()));
  expect(rejections).toEqual([undefined, 'old']);

  // If the page has no other token, it is notified instead of being asked forever.
  let token = 'old';
  const signedOut: unknown[] = [];
  const stuck = options({ accessToken: () => token, onSignedOut: (error) => signedOut.push(error.code) });
  const ask = () => failure(() => stuck.selections().all());
  expect(await ask()).toMatchObject({ code: '1007', status: 401 });
  await Promise.all([ask(), ask()]);
  expect(signedOut).toEqual(['1007']);
  token = 'new';
  await stuck.selections().all();
  token = 'old';
  server.script(refusing);
  await ask();
  expect(signedOut).toEqual(['1007', '1007']);
});

test('the part with the clientSecret refuses to run in a browser', () => {
  Object.assign(globalThis, { document: {} });
  try {
    expect(() => users()).toThrow(expect.objectContaining({ code: 'misused' }));
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});

test('only createUser is retried with the same key after a reset, a 502 and a timeout', async () => {
  const made = json(200, { specialToken: 's', clientId: '1_a', ...USER });
  const reset: Parameters<typeof server.script>[0] = (request) => request.socket.destroy();
  const gateway: typeof reset = (_, response) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>no</h1>');
  const silence: typeof reset = () => {};
  for (const fault of [reset, gateway, silence]) {
    const quick = users({ timeout: fault === silence ? 500 : 10_000 });
    server.script(fault, made);
    expect(await quick.createUser(USER)).toMatchObject({ specialToken: 's' });
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
    for (const act of [
      () => quick.getAccessToken('st'),
      () => quick.issueSpecialToken('a'),
      () => quick.update('c', { status: 'active' }),
      () => quick.get('c'),
      () => quick.deleteUser('c'),
    ]) {
      server.script(fault);
      await failure(act);
      expect(server.seen).toHaveLength(1);
    }
  }
  server.script(gateway);
  expect(await failure(() => users().createUser(USER))).toMatchObject({ status: 502 });
  expect(server.seen).toHaveLength(3);
});
