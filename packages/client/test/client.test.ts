import { afterAll, beforeAll, expect, test } from 'vitest';
import { databases } from '../../server/test/databases.ts';
import { EXAMPLE, withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../../server/test/http/start.ts';
import { createOptionsClient, createSelectionStore, isInnkeeperError, selectionOf } from '../src/index.ts';
import { createUsersClient, type UsersClient } from '../src/users.ts';
import type { Catalog } from './example-catalog.ts';

let server: TestServer;
let offered: Awaited<ReturnType<typeof withCatalog>>;
let users: UsersClient<Catalog>;
const newUser = () => ({ clientUserId: uniqueName(), clientUserName: 'Ada' });

beforeAll(async () => {
  server = await startTestServer((await databases[0]?.fresh()) as string);
  offered = await withCatalog(server);
  users = createUsersClient<Catalog>({ baseUrl: server.url, ...offered.application });
});
afterAll(() => server.close());

const optionsWith = (accessToken: string, fetched?: typeof fetch) =>
  createOptionsClient<Catalog>({
    baseUrl: server.url,
    apiKey: offered.application.clientId,
    accessToken,
    fetch: fetched,
  });

test('from no user to a saved selection that is read back and unset', async () => {
  const user = newUser();
  const { specialToken } = await users.createUser(user);
  const granted = await users.getAccessToken(specialToken);
  const options = optionsWith(granted.access_token);

  const saved = await options.save('kitchen.fruit', ['cherry', 'apple']);
  expect(saved.option).toMatchObject({ name: 'fruit', value: ['apple', 'cherry'] });
  expect(await options.save('kitchen.fruit', ['Marille'] as never, { language: 'de-AT' })).toMatchObject({
    user_options_uid: saved.user_options_uid,
    option: { value: ['apricot'] },
  });
  const both = await options.saveAll({ 'kitchen.vegetarian': true, 'open.volume': 10 });
  expect(both.map(({ option }) => option.value)).toEqual([true, 10]);

  const effective = await options.selections({ group: 'kitchen', effective: true }).all();
  expect(effective.map(({ option }) => [option.name, option.value])).toEqual([
    ['vegetarian', true],
    ['fruit', ['apricot']],
  ]);
  expect(await options.selection(saved.user_options_uid)).toMatchObject({ option: { value: ['apricot'] } });
  expect(await options.history(saved.user_options_uid).all()).toHaveLength(2);

  await options.unset(saved.user_options_uid);
  await expect(options.selection(saved.user_options_uid)).rejects.toMatchObject({ status: 404 });
  await expect(options.save('kitchen.fruit', 'apple' as never)).resolves.toBeDefined();
  await expect(options.save('kitchen.nothing' as never, true as never)).rejects.toMatchObject({ code: 'unknown_key' });

  // The application itself can do the same.
  const theirs = users.optionsOf(granted.service_user_code);
  await theirs.save('open.motto', 'Servus!');
  expect(await theirs.selections({ group: 'open' }).all()).toHaveLength(2);

  expect(await users.introspect(granted.access_token)).toMatchObject({ active: true });
  await users.revoke(granted.access_token);
  await expect(options.selections().all()).rejects.toMatchObject({ code: '1007', status: 401 });
  await users.deleteUser(granted.service_user_code);
  await expect(users.issueSpecialToken(user.clientUserId)).rejects.toMatchObject({ code: '0025', status: 400 });
});

test('errors have the codes of their operation and name the invalid fields', async () => {
  const options = optionsWith((await users.signIn(newUser())).access_token);
  const error = await options.save('kitchen.fruit', ['plum'] as never).catch((thrown: unknown) => thrown);
  expect(isInnkeeperError(error, 'get /api/option_keys')).toBe(false);
  if (!isInnkeeperError(error, 'post /api/user_options')) throw error;
  expect(error).toMatchObject({ status: 422, code: '1008', requestId: expect.any(String) });
  expect(error.errors).toEqual([
    expect.objectContaining({ field: 'value[0]', allowed: ['apple', 'apricot', 'cherry'] }),
  ]);
});

test('mistakes in the call are errors that name the fix', async () => {
  const { clientId, clientSecret } = offered.application;
  for (const baseUrl of ['localhost:8080', 'example', undefined as never]) {
    const wrong = createUsersClient({ baseUrl, clientId, clientSecret });
    await expect(wrong.get('x')).rejects.toMatchObject({
      code: 'misused',
      message: expect.stringContaining(`baseUrl must be a URL such as https://users.example.com, not "${baseUrl}".`),
    });
  }

  const granted = await users.signIn(newUser());
  // A promise that was not awaited, or the whole response.
  for (const token of [users.signIn(newUser()), granted, undefined]) {
    const misused = { code: 'misused', message: 'Pass the access_token as a string.' };
    await expect(users.revoke(token as never)).rejects.toMatchObject(misused);
    await expect(users.introspect(token as never)).rejects.toMatchObject(misused);
  }

  const withToken = (accessToken: unknown) =>
    createOptionsClient({ baseUrl: server.url, apiKey: clientId, accessToken: accessToken as string });
  const message = 'accessToken must return the access_token alone, as a string.';
  const operation = 'get /api/user_options';
  for (const token of [
    async () => undefined,
    async () => granted,
    async () => JSON.stringify(granted),
    `Bearer ${granted.access_token}`,
  ]) {
    await expect(withToken(token).selections().all()).rejects.toMatchObject({ code: 'no_token', message, operation });
  }
  await expect(withToken(undefined).selections().all()).rejects.toMatchObject({
    code: 'no_token',
    message: 'This needs the accessToken of a user: pass one to createOptionsClient.',
  });
  const store = createSelectionStore(withToken(granted.access_token), { userId: 'ada' });
  await expect(store.set(undefined as never, true)).rejects.toMatchObject({ code: 'unknown_key' });
});

test('signing in creates the user once, regardless of how often and from where', async () => {
  const user = newUser();
  const granted = await Promise.all(Array.from({ length: 3 }, () => users.signIn(user)));
  expect(new Set(granted.map((each) => each.service_user_code)).size).toBe(1);
});

test('an unchanged catalog is not sent again', async () => {
  const statuses: number[] = [];
  const options = optionsWith('none', async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  });
  const german = await options.keys({ group: 'kitchen', language: 'Deutsch' }).all();
  expect(german.map(({ label }) => label)).toEqual(['Vegetarisch', 'Obst', 'portions', 'ratio']);
  expect(await options.keys({ group: 'kitchen', language: 'Deutsch' }).all()).toEqual(german);
  expect((await options.keys({ group: 'kitchen', language: 'en' }).all())[1]?.label).toBe('Fruit');
  expect(statuses).toEqual([200, 304, 200]);

  const [group] = await options.groups({ language: 'Deutsch' }).all();
  expect(await options.group(group?.option_group_uid as string)).toMatchObject({ name: 'kitchen' });
  expect(await options.key(german[0]?.option_key_uid as string)).toMatchObject({ name: 'vegetarian' });
});

test('lists are read page by page, only as far as needed', async () => {
  const many = Array.from({ length: 450 }, (_, place) => ({ name: `key-${place}`, type: 'boolean' as const }));
  const { application } = await withCatalog(server, { ...EXAMPLE, groups: [{ name: 'many', keys: many }] });
  const offsets: string[] = [];
  const options = createOptionsClient({
    baseUrl: server.url,
    apiKey: application.clientId,
    fetch: (url, init) => {
      offsets.push(new URL(String(url)).searchParams.get('offset') ?? '0');
      return fetch(url, init);
    },
  });
  for await (const { name } of options.keys()) if (name === 'key-210') break;
  expect(offsets).toEqual(['0', '200']);
  expect((await options.keys().all()).map(({ name }) => name)).toEqual(many.map(({ name }) => name));
});

test("a saved selection is found by its key's UID, even if the name belongs to another key now", async () => {
  const ads = (keys: { name: string; was?: string; default?: boolean }[]) => ({
    languages: EXAMPLE.languages,
    groups: [{ name: 'ads', keys: keys.map((key) => ({ type: 'boolean' as const, ...key })) }],
  });
  const { application, publish } = await withCatalog(server, ads([{ name: 'consent' }]));
  const theirs = createUsersClient({ baseUrl: server.url, ...application });
  const options = createOptionsClient({
    baseUrl: server.url,
    apiKey: application.clientId,
    accessToken: (await theirs.signIn(newUser())).access_token,
  });
  await options.save('ads.consent', true);
  await publish(ads([{ name: 'consent_2025', was: 'consent' }]));
  await publish(ads([{ name: 'consent_2025' }, { name: 'consent' }]));
  await server.service.refresh();
  const [given, unanswered] = await options.keys().all();
  const selections = await options.selections().all();
  expect(selections.map(({ option }) => option.name)).toEqual(['consent']);
  expect(given && selectionOf(given, selections)?.option.value).toBe(true);
  // The user has never chosen a value of the new key.
  expect(unanswered && selectionOf(unanswered, selections)).toBeUndefined();
});

test('users are read, listed by selection, renamed, suspended and resumed, by code and by their own id', async () => {
  const clientUserId = `${uniqueName()}/é?`;
  const granted = await users.signIn({ clientUserId, clientUserName: 'Ada' });
  const code = granted.service_user_code;
  const user = await users.get(code);
  expect(user).toMatchObject({ service_user_code: code, clientUserId, status: 'active' });
  expect(await users.get({ clientUserId })).toEqual(user);
  expect(await users.update({ clientUserId }, { clientUserName: 'Grace' })).toMatchObject({ clientUserName: 'Grace' });
  expect(await users.suspend({ clientUserId })).toMatchObject({ status: 'suspended' });
  expect((await users.list({ status: 'suspended' }).all()).map((each) => each.clientUserId)).toContain(clientUserId);
  expect((await users.resume(code)).status).toBe('active');

  await users.optionsOf(code).save('open.volume', 10);
  const found: string[] = [];
  for await (const each of users.list({ where: ['open.volume=10', '!kitchen.portions'] }))
    found.push(each.clientUserId);
  expect(found).toContain(clientUserId);
  const refused = await users
    .list({ where: 'nothing.here' })
    .all()
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: '9400', status: 400 });
  await users.deleteUser({ clientUserId });
  expect(await users.get(code).catch((error: unknown) => error)).toMatchObject({ code: '0025' });
});
