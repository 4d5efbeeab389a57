import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type ReceivedMail = {
  /** The envelope's recipients, which may differ from the headers. */
  recipients: string[];
  headers: Record<string, string>;
  text: string;
  html: string;
};

export type MailServer = {
  url: string;
  /** In order of arrival. */
  received: ReceivedMail[];
  /** Resolves with the mails to this address, once there are that many. */
  mailsTo(address: string, count: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
};

/** A real SMTP server on this machine. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let notice = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onData(stream, session, done) {
      buffer(stream).then((raw) => {
        received.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          ...parseMail(raw.toString('latin1')),
        });
        notice.resolve();
        notice = Promise.withResolvers();
        done();
      }, done);
    },
  });
  // A client that disconnects does not fail the test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    async mailsTo(address, count) {
      const found = () => received.filter(({ recipients }) => recipients.includes(address));
      while (found().length < count) await notice.promise;
      return found();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Parses what our own mails contain: two alternatives. */
function parseMail(raw: string): Omit<ReceivedMail, 'recipients'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1);
  const [text = '', html = ''] = parts.map((part) => decode(split(part.replace(/^\r\n/, ''))));
  return { headers, text, html };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: raw.slice(end + 4) };
}

function decode({ headers, body }: { headers: Record<string, string>; body: string }): string {
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Decodes the subject, which may consist of several encoded words. */
export function subjectOf({ headers }: ReceivedMail): string {
  return (headers.subject ?? '')
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decode({
            headers: { 'content-transfer-encoding': 'quoted-printable' },
            body: word.replaceAll('_', ' '),
          }),
    );
}
