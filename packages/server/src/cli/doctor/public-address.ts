import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { JWKS_PATH } from '../../http/oauth/endpoints.ts';
import { counted } from '../output.ts';
import { type Check, failed, passed, warned, withinLimit } from './check.ts';

/** Enough for a service under load. */
const LIMIT_MS = 5_000;
const ANOTHER_PORT = 'Choose another port with --port or INNKEEPER_PORT, or stop the program that uses it.';
const OTHER_DATABASE =
  'Check that this is the right database, or choose another with --database-url or INNKEEPER_DATABASE_URL.';

/** `keyIds` are the database's, if known. */
export async function checkPort({ host, port }: Config, keyIds: readonly string[] | undefined): Promise<Check> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (port === 0) return passed('port', 'any free port');
  const problem = await tryToListen(host, port);
  if (problem === undefined) return passed('port', `${address} is free`);
  if (problem === 'EADDRINUSE') {
    if (!(await respondsLikeInnkeeper(host, port)))
      return failed('port', `${address} is in use by another program`, ANOTHER_PORT);
    if (keyIds && (await hasOtherKeys(host, port, keyIds)))
      return warned('port', `${address} is in use by Innkeeper with another database`, OTHER_DATABASE);
    return passed('port', `${address} is in use by Innkeeper`);
  }
  if (problem === 'EACCES') {
    return failed(
      'port',
      `${address} is not permitted for this user`,
      'Choose a port above 1023, or grant the right to bind lower ports.',
    );
  }
  return failed(
    'port',
    `${address} is not available (${problem})`,
    'Check that INNKEEPER_HOST is an address of this machine.',
  );
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function respondsLikeInnkeeper(host: string, port: number): Promise<boolean> {
  const body = await fetchJson<{ status: unknown }>(host, port, '/livez');
  return body?.status === 'ok';
}

/**
 * A service that publishes keys missing from this database uses another one. A service that publishes none, such as one
 * for options only, may use any.
 */
async function hasOtherKeys(host: string, port: number, keyIds: readonly string[]): Promise<boolean> {
  const body = await fetchJson<{ keys: { kid: string }[] }>(host, port, JWKS_PATH);
  const published = Array.isArray(body?.keys) ? body.keys : [];
  return published.length > 0 && !published.some(({ kid }) => keyIds.includes(kid));
}

/** The JSON of a successful response. */
async function fetchJson<T extends object>(host: string, port: number, path: string): Promise<Partial<T> | undefined> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const response = await fetch(`http://${reachable}:${port}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const body: unknown = await response.json();
    return response.ok && typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

const CERTIFICATE_LIMIT_MS = 3_000;
const DAY_MS = 86_400_000;
/** Automatic renewals happen earlier. */
const SOON_DAYS = 14;
const RENEW = 'Renew it where TLS ends, usually at the proxy, and reload the proxy.';

type Seen = { validTo: number; problem: string | undefined };

/** Checks the certificate of the public address, if that is https. */
export async function checkCertificate({ publicUrl }: Config): Promise<Check[]> {
  if (!publicUrl.startsWith('https:')) return [];
  const { hostname, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    return [
      judgeCertificate(publicUrl, await withinLimit(see(host, Number(port || 443)), CERTIFICATE_LIMIT_MS), Date.now()),
    ];
  } catch (error) {
    const detail = `${publicUrl} cannot be reached from here: ${messageOf(error)}`;
    return [
      warned(
        'certificate',
        detail,
        'This is fine if the firewall blocks this machine. Check the address from elsewhere.',
      ),
    ];
  }
}

export function judgeCertificate(publicUrl: string, { validTo, problem }: Seen, now: number): Check {
  const days = Math.floor((validTo - now) / DAY_MS);
  if (days < 0) return failed('certificate', `of ${publicUrl} has expired`, RENEW);
  if (problem !== undefined) {
    const detail = `of ${publicUrl} is not trusted on this machine: ${problem}`;
    return warned('certificate', detail, 'Clients without the same root certificates refuse it.');
  }
  const detail = `of ${publicUrl}, valid for ${counted(days, 'more day')}`;
  return days < SOON_DAYS ? warned('certificate', detail, RENEW) : passed('certificate', detail);
}

/** Untrusted and expired certificates are inspected too. */
function see(host: string, port: number): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(!/^[\d.]+$|:/.test(host) && { servername: host }),
    });
    socket.setTimeout(CERTIFICATE_LIMIT_MS, () => socket.destroy(new Error('no response')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const problem = socket.authorized ? undefined : String(socket.authorizationError);
      resolve({ validTo: Date.parse(socket.getPeerCertificate().valid_to), problem });
      socket.destroy();
    });
  });
}
