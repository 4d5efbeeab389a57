import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { startMailServer, subjectOf } from '../mail/mail-server.ts';
import { cookieOf, memberWith, openSession, visitorWith } from '../portal/portal.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

// All of it runs beside a server on the same database.
describe.each(databases)('innkeeper admin on $kind', ({ fresh }) => {
  let cli: ReturnType<typeof commandLine>;
  let server: TestServer;
  beforeAll(async () => {
    const databaseUrl = await fresh();
    cli = commandLine(databaseUrl, inThread);
    server = await startTestServer(databaseUrl);
  });
  afterAll(() => server?.close());

  test('create shows a sign-in link that works once, then a new one; delete removes everything', async () => {
    expect((await cli.run('admin', 'list')).stdout).toContain('innkeeper admin create');
    const made = await cli.json('admin', 'create', '--email', 'Ada@example.com', '--public-url', 'https://x.example/p');
    expect(Object.keys(made)).toEqual(['accountId', 'email', 'link', 'expiresAt']);
    expect(made.link).toMatch(/^https:\/\/x\.example\/p\/portal\/sign-in#ikl_[\w-]{43}$/);
    expect(new Date(`${made.expiresAt}Z`).getTime() - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    const again = await cli.run('admin', 'create', '--email', 'ada@EXAMPLE.com');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada@example.com already has an account') });
    const [, token] = /http:\S+#(\S+)/.exec(again.stdout) ?? [];
    expect((await openSession(server, { token: made.link.split('#')[1] })).json.code).toBe('9401');
    const answer = await openSession(server, { token });
    expect(answer).toMatchObject({ status: 201, json: { accountId: made.accountId, email: 'Ada@example.com' } });

    const [listed, readable] = await Promise.all([cli.json('admin', 'list'), cli.run('admin', 'list')]);
    expect(listed).toMatchObject([{ accountId: made.accountId, email: 'Ada@example.com', role: 'administrator' }]);
    expect(readable.stdout).toMatch(/^ROLE +CREATED +E-MAIL\nadministrator +\S+ \S+ +Ada@example\.com\n$/);
    const ada = visitorWith(server, cookieOf(answer));
    expect((await ada.send('GET', '/applications')).status).toBe(200);
    expect(await cli.json('admin', 'delete', 'ada@example.com')).toEqual({ email: 'ada@example.com', deleted: true });
    expect((await ada.send('GET', '/applications')).json.code).toBe('9401');
    const gone = await cli.run('admin', 'delete', 'ada@example.com');
    expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('innkeeper admin list') });
  });

  test('reset removes password and codes, ends sessions and shows a link; roles stay', async () => {
    const { storage, keyring, now } = server.service;
    const member = await memberWith(server, [], 'grace@example.com');
    const [own] = await storage.sessions.list(member.accountId, now());
    await storage.accounts.setPassword(member.accountId, 'a hash', own?.sessionId ?? '');
    await storage.secondFactors.begin(member.accountId, keyring.sealTotp(Buffer.alloc(20)));
    const pendingTotp = (await storage.accounts.credentials(member.accountId))?.pendingTotp as string;
    await storage.secondFactors.confirm(member.accountId, { pendingTotp, step: now(), recoveryHashes: [] });
    const totp = await cli.json('admin', 'reset', 'Grace@example.com', '--totp');
    expect(Object.keys(totp)).toEqual(['email', 'password', 'totp', 'link', 'expiresAt', 'mailed']);
    expect(totp).toMatchObject({ email: 'grace@example.com', password: false, totp: true, mailed: false });
    const answer = await openSession(server, { token: totp.link.split('#')[1] });
    expect(answer.json).toMatchObject({ administrator: false, hasPassword: true, totp: false });
    const readable = await cli.run('admin', 'reset', 'grace@example.com');
    expect(readable).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('password and two-step sign-in removed'),
    });
    expect((await visitorWith(server, cookieOf(answer)).send('GET', '/session')).json.code).toBe('9401');
    expect(await storage.accounts.credentials(member.accountId)).toMatchObject({ passwordHash: null });
    const unknown = await cli.run('admin', 'reset', 'nobody@example.com');
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('innkeeper admin list') });
    await storage.accounts.delete('grace@example.com');
  });

  test('reset notifies the owner by mail, in their language and without the link', async () => {
    const { storage } = server.service;
    const mail = await startMailServer();
    const settings = ['--smtp-url', mail.url, '--mail-from', 'Innkeeper <innkeeper@example.com>'];
    try {
      const { accountId } = await memberWith(server, [], 'hedy@example.com');
      await storage.accounts.setPreferences(accountId, JSON.stringify({ language: 'de' }));
      expect(await cli.json('admin', 'reset', 'hedy@example.com', ...settings)).toMatchObject({ mailed: true });
      const readable = await cli.run('admin', 'reset', 'hedy@example.com', '--totp', ...settings);
      expect(readable.stdout).toContain('The account was notified by e-mail');
      const mails = await mail.mailsTo('hedy@example.com', 2);
      expect(mails.map(subjectOf)).toEqual([
        'Passwort und Anmeldung in zwei Schritten wurden zurückgesetzt',
        'Die Anmeldung in zwei Schritten wurde zurückgesetzt',
      ]);
      for (const { text } of mails) expect(text).toMatch(/\/portal\/sign-in$/m);
      for (const { text, html } of mails) expect(text + html).not.toContain('ikl_');
    } finally {
      await mail.close();
    }
    // Without a mail server, the account is reset anyway.
    const failed = await cli.run('admin', 'reset', 'hedy@example.com', ...settings);
    expect(failed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/could not be notified by e-mail \(E[A-Z]+\): inform its owner/),
    });
    expect(failed.stdout).toContain('#ikl_');
    await storage.accounts.delete('hedy@example.com');
  });

  test.each([
    ['no address', []],
    ['an invalid address', ['--email', 'ada']],
  ])('create with %s creates nothing', async (_, args) => {
    expect(await cli.run('admin', 'create', ...args)).toMatchObject({ code: 2, stdout: '' });
    expect(await server.service.storage.accounts.list()).toEqual([]);
  });
});
