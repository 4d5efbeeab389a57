import { isLoopback } from '../addresses.ts';
import { isEmail } from '../domain/users/email.ts';

export type MailSettings = {
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  /** Whether to send mail only if the server offers STARTTLS. */
  requireTls: boolean;
  auth: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

const FORM = 'smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465';

/** Reads the two mail settings, which require each other. Never shows the URL: it contains a password. */
export function readMail(url: string, from: string, problems: string[]): MailSettings | undefined {
  if (url === '' && from === '') return undefined;
  if (url === '') {
    problems.push('INNKEEPER_MAIL_FROM is set, but INNKEEPER_SMTP_URL is not. Set both, or neither.');
    return undefined;
  }
  const server = readServer(url);
  if (server === undefined) problems.push(`INNKEEPER_SMTP_URL is invalid: it must be ${FORM}.`);
  const sender = readSender(from);
  if (sender === undefined) {
    problems.push('INNKEEPER_MAIL_FROM must be an address, for example Innkeeper <innkeeper@example.com>.');
  }
  return server && sender && { ...server, from: sender };
}

/** Requires encryption to other machines, because mail contains links and passwords, unless the URL has `?tls=off`. */
function readServer(text: string): Omit<MailSettings, 'from'> | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) return undefined;
  if (url.hash !== '' || !['', '?tls=off'].includes(url.search)) return undefined;
  const secure = url.protocol === 'smtps:';
  const [user, pass] = [decode(url.username), decode(url.password)];
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTls: !secure && url.search === '' && !isLoopback(host),
    auth: user === '' ? undefined : { user, pass },
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `address` or `Name <address>`. */
function readSender(text: string): MailSettings['from'] | undefined {
  const open = text.indexOf('<');
  const name = open < 0 ? '' : text.slice(0, open).trim();
  const address = open < 0 ? text.trim() : text.slice(open + 1).replace(/>$/, '');
  const isName = name.length <= 100 && !/[\p{Cc}<>]/u.test(name);
  return isName && isEmail(address) && (open < 0 || text.endsWith('>')) ? { name, address } : undefined;
}
