import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { totpCode } from '../../src/domain/accounts/confirm-identity.ts';
import { warnOwners } from '../../src/domain/mail/notices.ts';
import { type MailSettings, readMail } from '../../src/mail/mail-settings.ts';
import { SmtpMailer } from '../../src/mail/smtp-mailer.ts';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { manageWith } from '../manage/manage.ts';
import { fromBase32, fromPortal, memberWith, openSession, PASSWORD, signedIn, tokenOf } from '../portal/portal.ts';
import { type MailServer, startMailServer, subjectOf } from './mail-server.ts';

const FROM = 'Innkeeper <innkeeper@example.com>';

describe.each(databases)('mail on $kind', (database) => {
  let mail: MailServer;
  let databaseUrl: string;
  let server: TestServer;
  beforeAll(async () => {
    mail = await startMailServer();
    databaseUrl = await database.fresh();
    server = await startTestServer(databaseUrl, { smtpUrl: mail.url, mailFrom: FROM });
  });
  afterAll(() => Promise.all([server?.close(), mail?.close()]));

  const ask = (email: string, purpose = 'password', headers = {}) =>
    server.post('/manage/v1/session/mail', { email, purpose }, { ...fromPortal, ...headers });
  const linkIn = (text: string): string => /http\S+#ik\w_[\w-]+/.exec(text)?.[0] ?? '';
  const unique = () => `${uniqueName()}@example.com`;

  test('a forgotten password: the mailed link signs in once and sets a new one without the old', async () => {
    const email = unique();
    const visitor = await signedIn(server, email);
    await visitor.send('PUT', '/account/password', { password: PASSWORD });
    expect(await ask(email.toUpperCase())).toMatchObject({ status: 202, json: { mailed: true } });
    const [received] = await mail.mailsTo(email, 1);
    expect(received).toMatchObject({ recipients: [email], headers: { from: FROM, to: email } });
    const link = linkIn(received?.text ?? '');
    expect(link).toContain('/portal/sign-in?next=%2Faccount#ikl_');
    expect(received?.html).toContain(link);
    const entered = await openSession(server, { token: tokenOf(link) });
    expect(entered).toMatchObject({ status: 201, json: { email, needsPassword: false } });
    expect((await openSession(server, { token: tokenOf(link) })).status).toBe(401);
    const audit = await (await signedIn(server)).send('GET', '/audit?limit=200');
    expect(audit.json.items).toContainEqual(expect.objectContaining({ action: 'account.linkMade', subject: email }));
  });

  test('the owner of an account is notified when the password or the second factor changes, in their language', async () => {
    const email = unique();
    const visitor = await signedIn(server, email);
    await visitor.send('PATCH', '/account/preferences', { language: 'de' });
    // Setting the first password sends no mail, because it is part of creating the account.
    expect((await visitor.send('PUT', '/account/password', { password: PASSWORD })).status).toBe(204);
    const changed = { current: PASSWORD, password: `${PASSWORD} new` };
    expect((await visitor.send('PUT', '/account/password', changed)).status).toBe(204);
    const proof = { password: changed.password };
    const { secret } = (await visitor.send('POST', '/account/totp', proof)).json;
    const code = (ahead: number) =>
      totpCode(fromBase32(String(secret)), Math.floor(server.service.now() / 30_000) + ahead);
    expect((await visitor.send('PUT', '/account/totp', { code: code(0) })).status).toBe(200);
    const renewed = await visitor.send('POST', '/account/totp/recovery-codes', { ...proof, code: code(1) });
    expect(renewed.status).toBe(200);
    const [recovery] = renewed.json.recoveryCodes as string[];
    expect((await visitor.send('POST', '/account/totp/end', { ...proof, code: recovery })).status).toBe(204);
    const received = await mail.mailsTo(email, 4);
    expect(received.map(subjectOf)).toEqual([
      'Ihr Passwort wurde geändert',
      'Die Anmeldung in zwei Schritten wurde eingeschaltet',
      'Neue Wiederherstellungscodes wurden erstellt',
      'Die Anmeldung in zwei Schritten wurde ausgeschaltet',
    ]);
    expect(received[0]?.text).toContain(`${server.service.publicUrl}/portal/account`);
  });

  test('a sign-in link leaves earlier links valid, as anyone can request one', async () => {
    const email = unique();
    await signedIn(server, email);
    for (const _ of [1, 2]) expect((await ask(email, 'signIn')).status).toBe(202);
    const links = (await mail.mailsTo(email, 2)).map(({ text }) => linkIn(text));
    expect(new Set(links).size).toBe(2);
    for (const link of links) expect((await openSession(server, { token: tokenOf(link) })).status).toBe(201);
  });

  test('an address without an account gets the same response and no mail', async () => {
    const known = unique();
    await signedIn(server, known);
    const unknown = unique();
    const [there, not] = [await ask(known), await ask(unknown)];
    expect([not.status, not.json]).toEqual([there.status, there.json]);
    // Mails are sent in the order of their requests, so a later mail shows that there was none before it.
    await ask(known, 'signIn');
    await mail.mailsTo(known, 2);
    expect(await mail.mailsTo(unknown, 0)).toEqual([]);
  });

  test('too many requests are rejected, with or without an account', async () => {
    const [known, unknown] = [unique(), unique()];
    await signedIn(server, known);
    for (const email of [known, unknown]) {
      for (const _ of [1, 2, 3]) expect((await ask(email)).status).toBe(202);
      const refused = await ask(email);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    }
  });

  test.each([
    ['de', 'Ihr Anmeldelink', 'Mit diesem Link melden Sie sich bei Innkeeper an.'],
    ['es', 'Su enlace para iniciar sesión', 'Use este enlace'],
    ['hu', 'Bejelentkezési hivatkozás', 'Ezzel a hivatkozással'],
    ['en', 'Your sign-in link', 'Use this link'],
  ])("is in the account's language, or the browser's: %s", async (language, subject, text) => {
    const [own, other] = [unique(), unique()];
    const visitor = await signedIn(server, own);
    await visitor.send('PATCH', '/account/preferences', { language });
    await signedIn(server, other);
    await ask(own, 'signIn', { 'accept-language': 'fr, xx' });
    await ask(other, 'signIn', { 'accept-language': `fr, ${language}-XX;q=0.8, en;q=0.1` });
    for (const received of [await mail.mailsTo(own, 1), await mail.mailsTo(other, 1)].flat()) {
      expect(subjectOf(received)).toBe(subject);
      expect(received.text).toContain(text);
      expect(received.html).toContain(`<html lang="${language}">`);
    }
  });

  test("an invitation is mailed in the sender's language, and its link can be accepted", async () => {
    const { appId, clientId } = await server.application();
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    await owner.send('PATCH', '/account/preferences', { language: 'de' });
    const email = unique();
    const invited = await owner.send('POST', `/applications/${clientId}/invitations`, { email, role: 'support' });
    expect(invited).toMatchObject({ status: 201, json: { mailed: true, email } });
    const [received] = await mail.mailsTo(email, 1);
    expect(received?.recipients).toEqual([email]);
    expect(subjectOf(received as never)).toBe('Einladung zu Test');
    expect(received?.text).toContain(`${owner.email} hat Sie eingeladen`);
    expect(received?.text).toContain('Ihre Rolle: Support.');
    const token = tokenOf(linkIn(received?.text ?? ''));
    expect(await openSession(server, { token, password: PASSWORD })).toMatchObject({ status: 201, json: { email } });
  });

  test('invitations to one address are mailed only so often, but never rejected for it', async () => {
    const { clientId } = await server.application();
    const manage = await manageWith(server);
    const email = unique();
    const invite = async () =>
      (await manage.send('POST', `/applications/${clientId}/invitations`, { email, role: 'viewer' })).json.mailed;
    for (let each = 0; each < 10; each += 1) expect(await invite()).toBe(true);
    expect(await invite()).toBe(false);
    await mail.mailsTo(email, 10);
  });

  test('a name with line breaks, markup and direction marks adds no header, recipient or tag', async () => {
    const { appId, clientId } = await server.application();
    const name = 'A\r\nBcc: evil@example.com\r\n\r\n<b>x</b>\u202e';
    await server.service.storage.applications.update(appId, { name });
    await server.service.refresh();
    const manage = await manageWith(server);
    const email = unique();
    await manage.send('POST', `/applications/${clientId}/invitations`, { email, role: 'viewer' });
    const [received] = await mail.mailsTo(email, 1);
    expect(received?.recipients).toEqual([email]);
    expect(received?.headers).not.toHaveProperty('bcc');
    expect(subjectOf(received as never)).toBe('Invitation to A  Bcc: evil@example.com    <b>x</b>');
    expect(received?.html).toContain('&lt;b&gt;x&lt;/b&gt;');
    expect(received?.html).not.toContain('<b>x');
    for (const hostile of ['a@example.com\r\nBcc: b@example.com', 'a@example.com, b@example.com', 'a b@example.com']) {
      expect((await ask(hostile)).status).toBe(400);
      const answer = await manage.send('POST', `/applications/${clientId}/invitations`, {
        email: hostile,
        role: 'viewer',
      });
      expect(answer.status).toBe(400);
    }
  });

  test('owners are warned once of a secret that expires while in use, and of a failing webhook', async () => {
    const { appId, clientId } = await server.application();
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    const editor = await memberWith(server, [{ appId, role: 'editor' }]);
    await owner.send('PATCH', '/account/preferences', { language: 'es' });
    const { storage, applications, now } = server.service;
    const manage = await manageWith(server);
    const service = server.service as Parameters<typeof warnOwners>[0];
    const path = `/applications/${clientId}`;
    expect((await manage.send('POST', `${path}/secrets`, { overlap: '2h' })).status).toBe(201);
    await server.service.refresh();
    // Not in use, so nobody is notified.
    await warnOwners(service);
    const previous = applications.peek(clientId)?.secrets.find(({ expiresAt }) => expiresAt !== null);
    await storage.applications.touchSecret(previous?.secretHash as string, now() + 1000, now());
    const hook = await manage.send('POST', `${path}/webhooks`, { url: 'https://receiver.example.com/hook' });
    const id = String(hook.json.webhookId).replaceAll('-', '');
    const since = now() - 2 * 3_600_000;
    const where = database.kind === 'sqlite' ? `x'${id}'` : `'${hook.json.webhookId}'`;
    await database.execute(databaseUrl, `update webhooks set failing_since = ${since} where webhook_id = ${where}`);
    for (const _ of [1, 2, 3]) await warnOwners(service);
    await database.execute(databaseUrl, `update webhooks set off = 'failing' where webhook_id = ${where}`);
    for (const _ of [1, 2]) await warnOwners(service);
    // Anything queued earlier is sent before this.
    await ask(owner.email, 'signIn');
    const received = await mail.mailsTo(owner.email, 4);
    expect(await mail.mailsTo(editor.email, 0)).toEqual([]);
    expect(received.map(subjectOf).sort()).toEqual([
      'Su enlace para iniciar sesión',
      'Test: el secreto anterior caduca pronto',
      'Test: se ha desactivado un webhook',
      'Test: un webhook falla',
    ]);
    expect(received.find((each) => subjectOf(each).endsWith('falla'))?.text).toContain('receiver.example.com');
  });

  test('a warning that the mail server did not accept is sent later, once', async () => {
    const { appId, clientId } = await server.application();
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    const { storage, applications, now } = server.service;
    await (await manageWith(server)).send('POST', `/applications/${clientId}/secrets`, { overlap: '2h' });
    await server.service.refresh();
    const previous = applications.peek(clientId)?.secrets.find(({ expiresAt }) => expiresAt !== null);
    await storage.applications.touchSecret(previous?.secretHash as string, now() + 1000, now());
    const warnBy = async (url: string, pausesMs: number[]) => {
      const settings = readMail(url, FROM, []) as MailSettings;
      const mailer = new SmtpMailer(settings, { pausesMs, onFailure() {}, onDropped() {} });
      await warnOwners({ ...server.service, mailer });
      await mailer.close();
      return mailer.counts();
    };
    const gone = `smtp://127.0.0.1:${await freePort()}`;
    // Given up after the last retry, or on shutdown while waiting for one.
    expect(await warnBy(gone, [])).toEqual({ sent: 0, failed: 1, dropped: 0 });
    expect(await warnBy(gone, [60_000])).toEqual({ sent: 0, failed: 0, dropped: 1 });
    expect(await warnBy(mail.url, [])).toEqual({ sent: 1, failed: 0, dropped: 0 });
    expect(await warnBy(mail.url, [])).toEqual({ sent: 0, failed: 0, dropped: 0 });
    expect((await mail.mailsTo(owner.email, 1)).map(subjectOf)).toEqual(['Test: the previous secret expires soon']);
  });
});
