import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { readMail } from '../../src/mail/mail-settings.ts';
import { SmtpMailer, tryToConnect } from '../../src/mail/smtp-mailer.ts';
import { runInnkeeper } from '../cli/run-innkeeper.ts';
import { sqlite } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { SECRET, startTestServer } from '../http/start.ts';
import { fromPortal, signedIn } from '../portal/portal.ts';
import { startMailServer } from './mail-server.ts';

const LETTER = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

const held: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of held.splice(0).reverse()) await each.close();
});

function mailerTo(url: string, options: Partial<ConstructorParameters<typeof SmtpMailer>[1]> = {}) {
  const settings = readMail(url, 'innkeeper@example.com', []);
  if (!settings) throw new Error('no settings');
  const onFailure = vi.fn();
  const onDropped = vi.fn();
  const mailer = new SmtpMailer(settings, {
    onFailure,
    onDropped,
    pausesMs: [1, 1],
    withinMs: 50,
    closeWithinMs: 20,
    ...options,
  });
  held.push(mailer);
  return { mailer, settings, onFailure, onDropped };
}

/** Accepts connections and never sends anything. */
async function silentServer(): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  held.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe('the mail queue', () => {
  test('an unreachable or hanging server: every attempt ends, the last one counts, and it becomes a problem', async () => {
    for (const [url, reason, withinMs] of [
      [`smtp://127.0.0.1:${await freePort()}`, /^E(SOCKET|CONNECTION|CONNREFUSED)$/, 5_000],
      [await silentServer(), /^ETIMEDOUT$/, 50],
    ] as const) {
      const { mailer, settings, onFailure } = mailerTo(url, { withinMs });
      expect(mailer.problems()).toEqual([]);
      mailer.send(async () => LETTER);
      await vi.waitFor(() => expect(mailer.counts()).toEqual({ sent: 0, failed: 1, dropped: 0 }), 5_000);
      expect(onFailure.mock.calls).toEqual([
        [expect.stringMatching(reason), false],
        [expect.stringMatching(reason), false],
        [expect.stringMatching(reason), true],
      ]);
      expect(mailer.problems()).toMatchObject([{ kind: 'mail', effect: 'none' }]);
      expect(mailer.problems()[0]?.message).not.toContain('ada@');
      await expect(tryToConnect(settings, withinMs)).rejects.toThrow(reason);
    }
  });

  test('a server that responds a byte at a time holds no connection after the attempt', async () => {
    const { promise: allClosed, resolve } = Promise.withResolvers<void>();
    let closed = 0;
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('close', () => ++closed === 3 && resolve());
      socket.write('220 here\r\n');
      let drip: NodeJS.Timeout;
      socket.once('data', () => {
        socket.write('250-');
        drip = setInterval(() => socket.write('x'), 5);
      });
      socket.on('close', () => clearInterval(drip));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    held.push(server);
    const url = `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
    const { mailer, onFailure } = mailerTo(url, { withinMs: 400 });
    mailer.send(async () => LETTER);
    await allClosed;
    await vi.waitFor(() => expect(onFailure).toHaveBeenLastCalledWith('ETIMEDOUT', true), 5_000);
  });

  test('a server that sends empty lines without end is cut off, with little read', async () => {
    let written = 0;
    const server = createServer((socket) => {
      const lines = '\r\n'.repeat(30_000);
      const write = () => {
        do written += lines.length;
        while (written < 100_000_000 && socket.write(lines));
      };
      socket.on('error', () => {}).on('drain', write);
      write();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    held.push(server);
    const url = `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
    const { mailer, onFailure } = mailerTo(url, { withinMs: 20_000 });
    mailer.send(async () => LETTER);
    await vi.waitFor(() => expect(onFailure).toHaveBeenLastCalledWith('EPROTOCOL', true), 20_000);
    // Most of it is in socket buffers.
    expect(written).toBeLessThan(50_000_000);
  });

  test('a server that recovers gets the letter, and the problem ends', async () => {
    const port = await freePort();
    const { mailer } = mailerTo(`smtp://127.0.0.1:${port}`, { pausesMs: Array(1000).fill(5), withinMs: 2_000 });
    mailer.send(async () => LETTER);
    await vi.waitFor(() => expect(mailer.problems()).toHaveLength(1), 5_000);
    const server = await startMailServer({}, port);
    held.push(server);
    expect((await server.mailsTo(LETTER.to, 1))[0]).toMatchObject({
      recipients: [LETTER.to],
      text: expect.stringContaining('Hello'),
    });
    await vi.waitFor(() => expect(mailer.counts()).toEqual({ sent: 1, failed: 0, dropped: 0 }));
    expect(mailer.problems()).toEqual([]);
  });

  test('a rejected address is not retried, and is not logged', async () => {
    const server = await startMailServer({
      onRcptTo: (_, __, done) => done(Object.assign(new Error('no ada@example.com here'), { responseCode: 550 })),
    });
    held.push(server);
    const { mailer, onFailure } = mailerTo(server.url, { withinMs: 2_000 });
    mailer.send(async () => LETTER);
    await vi.waitFor(() => expect(mailer.counts().failed).toBe(1), 5_000);
    expect(onFailure.mock.calls).toEqual([['the server responded 550 to RCPT TO', true]]);
  });

  test('is bounded: excess letters are dropped', async () => {
    const { mailer, onDropped } = mailerTo(await silentServer(), { maxQueued: 3 });
    for (let each = 0; each < 10; each += 1) mailer.send(async () => LETTER);
    // One in flight, three queued.
    expect(mailer.counts().dropped).toBe(6);
    expect(onDropped).toHaveBeenCalledTimes(6);
  });

  test('a letter that cannot be written fails alone; no recipient is no failure', async () => {
    const server = await startMailServer();
    held.push(server);
    const { mailer, onFailure } = mailerTo(server.url, { withinMs: 2_000 });
    mailer.send(() => Promise.reject(new TypeError('secret link')));
    mailer.send(async () => undefined);
    mailer.send(async () => LETTER);
    await server.mailsTo(LETTER.to, 1);
    await vi.waitFor(() => expect(mailer.counts()).toEqual({ sent: 1, failed: 1, dropped: 0 }));
    expect(onFailure.mock.calls).toEqual([['it could not be written (TypeError)', true]]);
  });

  test('closing sends queued letters, and does not wait for a hanging server', async () => {
    const server = await startMailServer();
    held.push(server);
    const quick = mailerTo(server.url, { withinMs: 2_000, closeWithinMs: 2_000 });
    for (let each = 0; each < 5; each += 1) quick.mailer.send(async () => LETTER);
    await quick.mailer.close();
    expect(quick.mailer.counts()).toEqual({ sent: 5, failed: 0, dropped: 0 });
    quick.mailer.send(async () => LETTER);
    expect(quick.mailer.counts().dropped).toBe(1);
    const slow = mailerTo(await silentServer(), { withinMs: 60_000 });
    for (let each = 0; each < 3; each += 1) slow.mailer.send(async () => LETTER);
    await slow.mailer.close();
    expect(slow.mailer.counts().dropped).toBe(3);
  });
});

test('mail is sent unencrypted only to this machine, unless the URL says so', () => {
  const read = (url: string, from = 'Inn, Keeper <innkeeper@example.com>') => {
    const problems: string[] = [];
    return readMail(url, from, problems) ?? problems;
  };
  expect(read('smtp://u%40x:p%3A@mail.example.com')).toEqual({
    host: 'mail.example.com',
    port: 587,
    secure: false,
    requireTls: true,
    auth: { user: 'u@x', pass: 'p:' },
    from: { name: 'Inn, Keeper', address: 'innkeeper@example.com' },
  });
  expect(read('smtps://mail.example.com')).toMatchObject({ port: 465, secure: true, auth: undefined });
  expect(read('smtp://127.0.0.1:2525')).toMatchObject({ port: 2525, requireTls: false });
  expect(read('smtp://relay:25?tls=off')).toMatchObject({ port: 25, requireTls: false });
  for (const url of [
    'http://mail.example.com',
    'smtp://',
    'smtp://u@h',
    'smtp://h/path',
    'smtp://h?x=1',
    'smtp://%zz:a@h',
  ]) {
    expect(read(url)).toEqual([expect.stringMatching(/^INNKEEPER_SMTP_URL is invalid/)]);
  }
  for (const from of ['', 'no address', 'A <a@b.c', 'A\r\nBcc: x <a@b.c>']) {
    expect(read('smtp://h', from)).toEqual([expect.stringMatching(/^INNKEEPER_MAIL_FROM must be an address/)]);
  }
  expect(() => readConfig({ secret: SECRET, mailFrom: 'a@example.com' }, { env: {} })).toThrow('INNKEEPER_SMTP_URL');
});

test('doctor tries to connect, and names the server without its password', async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'ada' && password === 'right' ? done(null, { user: 'ada' }) : done(new Error('no')),
  });
  held.push(server);
  const settings = { INNKEEPER_DATABASE_URL: await sqlite.fresh(), INNKEEPER_SECRET: SECRET };
  await runInnkeeper(['migrate'], settings);
  const check = async (url: string) => {
    const { stdout } = await runInnkeeper(['doctor', '--json'], {
      ...settings,
      INNKEEPER_SMTP_URL: url,
      INNKEEPER_MAIL_FROM: 'a@example.com',
    });
    return (JSON.parse(stdout) as { check: string }[]).find((each) => each.check === 'mail');
  };
  const withPassword = (password: string) => server.url.replace('//', `//ada:${password}@`);
  const host = server.url.slice('smtp://'.length);
  expect(await check(withPassword('right'))).toMatchObject({ ok: true, detail: `${host} accepts mail` });
  const failed = await check(withPassword('wrong'));
  expect(failed).toMatchObject({ ok: false, detail: `${host}: the server responded 535 to AUTH PLAIN` });
  expect(JSON.stringify(failed)).not.toContain('wrong');
});

test('a service with an unreachable mail server responds immediately, and shows the state of its mails', async () => {
  const server = await startTestServer(await sqlite.fresh(), {
    smtpUrl: `smtp://127.0.0.1:${await freePort()}`,
    mailFrom: 'a@example.com',
  });
  held.push(server);
  await signedIn(server, 'ada@example.com');
  const answer = await server.post(
    '/manage/v1/session/mail',
    { email: 'ada@example.com', purpose: 'signIn' },
    fromPortal,
  );
  expect(answer.status).toBe(202);
  expect((await server.send('GET', '/manage/v1/session/methods', { headers: fromPortal })).json).toMatchObject({
    mail: true,
  });
  expect((await server.send('GET', '/metrics')).text).toContain('innkeeper_mails_total{outcome="sent"} 0');
});

test('a service without mail says so, and loads nothing for it', async () => {
  const server = await startTestServer(await sqlite.fresh());
  held.push(server);
  const answer = await server.post(
    '/manage/v1/session/mail',
    { email: 'ada@example.com', purpose: 'signIn' },
    fromPortal,
  );
  expect([answer.status, answer.json.code]).toEqual([409, '9409']);
  expect((await server.send('GET', '/manage/v1/session/methods', { headers: fromPortal })).json).toMatchObject({
    mail: false,
  });
});
