import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { JWKS_PATH } from '../../http/oauth/jwks.ts';
import { type Check, failed, passed, warned } from './check.ts';

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
    if (!(await answersLikeInnkeeper(host, port)))
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

async function answersLikeInnkeeper(host: string, port: number): Promise<boolean> {
  const body = await ask<{ status: unknown }>(host, port, '/livez');
  return body?.status === 'ok';
}

/**
 * A service that publishes keys missing from this database uses another one. A service that publishes none, such as one
 * for options only, may use any.
 */
async function hasOtherKeys(host: string, port: number, keyIds: readonly string[]): Promise<boolean> {
  const body = await ask<{ keys: { kid: string }[] }>(host, port, JWKS_PATH);
  const published = Array.isArray(body?.keys) ? body.keys : [];
  return published.length > 0 && !published.some(({ kid }) => keyIds.includes(kid));
}

/** The JSON of a successful response. */
async function ask<T extends object>(host: string, port: number, path: string): Promise<Partial<T> | undefined> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${reachable}:${port}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null ? (body as Partial<T>) : undefined;
  } catch {
    return undefined;
  }
}
