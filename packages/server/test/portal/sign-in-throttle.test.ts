import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admitAttempt } from '../../src/domain/accounts/admit-attempt.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { openSession, PASSWORD, signedIn } from './portal.ts';

describe.each(databases)('sign-in attempts from many networks on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh(), { trustedProxies: '127.0.0.1' });
  });
  afterAll(() => server?.close());

  const withPassword = async () => {
    const email = `${uniqueName()}@example.com`;
    await (await signedIn(server, email)).send('PUT', '/account/password', { password: PASSWORD });
    return email;
  };
  const enter = (from: string, email: string, password: string) =>
    openSession(server, { email, password }, { 'x-forwarded-for': from });

  test('guesses elsewhere delay no one; an IPv6 network counts as one', async () => {
    const email = await withPassword();
    const guess = (index: number) => enter(`2001:db8:1:2:${index}::${index}`, email, 'wrong guess, sorry');
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(index + 1)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    // The same /64, then the adjacent one, and IPv4.
    expect((await enter('2001:db8:1:2:ffff::1', email, PASSWORD)).status).toBe(429);
    expect((await enter('2001:db8:1:3::1', email, PASSWORD)).status).toBe(201);
    expect((await enter('192.0.2.7', email, PASSWORD)).status).toBe(201);
    // Signing in elsewhere did not reset the guesser's count.
    expect((await enter('2001:db8:1:2::1', email, PASSWORD)).status).toBe(429);
  });

  test('guesses from very many networks are throttled for each, and lock out no other', async () => {
    const { service } = server;
    const emailKey = await withPassword();
    const attempt = (network: string) =>
      admitAttempt(service, { emailKey, network }).then(
        () => 'admitted',
        (error) => Number(error.headers['retry-after']),
      );
    const from = (count: number, prefix: string) =>
      Promise.all(Array.from({ length: count }, (_, index) => attempt(`${prefix}.${index}`)));
    expect(new Set(await from(100, 'many'))).toEqual(new Set(['admitted']));
    // From here on, each network has two attempts instead of ten.
    const [first, second, third] = [await from(3, 'more'), await from(3, 'more'), await from(3, 'more')];
    expect([first, second, third].map((each) => [...new Set(each)])).toEqual([['admitted'], ['admitted'], [300]]);
    expect((await enter('198.51.100.1', emailKey, PASSWORD)).status).toBe(201);
    expect((await enter('198.51.100.1', emailKey, PASSWORD)).status).toBe(201);
  });

  test('new passwords after a sign-in link are throttled, so that no one else waits for their hashes', async () => {
    const email = await withPassword();
    const visitor = await signedIn(server, `${uniqueName()}@example.com`);
    const changes = Array.from({ length: 60 }, () => visitor.send('PUT', '/account/password', { password: PASSWORD }));
    const entered = await enter('198.51.100.2', email, PASSWORD);
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(entered.status).toBe(201);
    expect(new Set(statuses)).toEqual(new Set([204, 429]));
    expect(statuses.filter((status) => status === 204)).toHaveLength(10);
  });
});
