import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { makeTestUser, values } from './options/test-user.ts';
import { basic, startTestServer } from './start.ts';

/** A mail server that keeps the messages it receives. */
async function startMailbox() {
  const messages: string[] = [];
  const mailbox = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      text(stream).then((message) => {
        messages.push(message);
        done();
      }, done);
    },
  });
  mailbox.listen(0, '127.0.0.1');
  await once(mailbox.server, 'listening');
  const { port } = mailbox.server.address() as AddressInfo;
  return { port, messages, close: () => new Promise<void>((resolve) => mailbox.close(() => resolve())) };
}

/** RFC 5322 2.2.3: a header continues in lines that begin with whitespace. */
function headersOf(message: string): Map<string, string> {
  const [head = ''] = message.split('\r\n\r\n', 1);
  const lines = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

test('a mail program unsubscribes with only the headers of a message', async () => {
  const server = await startTestServer((await databases[0]?.fresh()) as string);
  const mailbox = await startMailbox();
  try {
    const testUser = await makeTestUser(server);
    await testUser.save(await testUser.choice('vegetarian', [true]));
    const { clientId } = testUser.application;
    const made = await server.post(
      `/api/v2/app/${clientId}/users/${testUser.user.userCode}/preference-link`,
      { unsubscribe: { 'kitchen.vegetarian': [false], 'open.tags': ['quiet'] } },
      basic(testUser.application),
    );
    const link = made.json as Record<string, string>;
    const transport = createTransport({ host: '127.0.0.1', port: mailbox.port, secure: false, ignoreTLS: true });
    await transport.sendMail({
      from: 'news@example.com',
      to: 'ada@example.com',
      subject: 'News',
      text: `Preferences: ${link.url}`,
      headers: {
        'List-Unsubscribe': link.list_unsubscribe as string,
        'List-Unsubscribe-Post': link.list_unsubscribe_post as string,
      },
    });
    transport.close();

    const headers = headersOf(mailbox.messages[0] as string);
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    // Folding may have inserted whitespace into a long URL; mail programs remove it (RFC 2369).
    const url = /<\s*(https?:[^>]+)>/.exec(headers.get('list-unsubscribe') ?? '')?.[1]?.replaceAll(/\s/g, '') as string;
    // A link scanner's GET changes nothing.
    expect((await fetch(url)).status).toBe(200);
    const saved = async () => values((await testUser.read()).json);
    expect(await saved()).toEqual([['vegetarian', true]]);
    const [name = '', value = ''] = (headers.get('list-unsubscribe-post') ?? '').split('=');
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ [name]: value }),
      redirect: 'error',
      credentials: 'omit',
    });
    expect(answer.status).toBe(200);
    expect(await saved()).toEqual([
      ['vegetarian', false],
      ['tags', ['quiet']],
    ]);
    // The documentation of events includes this origin: `send` validates the response.
    const feed = await server.send('GET', `/api/v2/app/${clientId}/events?type=selection.saved`, {
      headers: basic(testUser.application),
    });
    const by = (feed.json.items as { data: { by: string } }[]).map(({ data }) => data.by);
    expect(by).toEqual(['user_uid', 'unsubscribe', 'unsubscribe']);
  } finally {
    await mailbox.close();
    await server.close();
  }
});
