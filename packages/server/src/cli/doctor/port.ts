import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { type Check, failed, passed } from './check.ts';

const LIMIT_MS = 1_500;
const ANOTHER_PORT = 'Give another one with --port or INNKEEPER_PORT, or stop the program that holds it.';

export async function checkPort({ host, port }: Config): Promise<Check> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (port === 0) return passed('port', 'any free one');
  const problem = await tryToListen(host, port);
  if (problem === undefined) return passed('port', `${address} is free`);
  if (problem === 'EADDRINUSE') {
    if (await answersLikeInnkeeper(host, port)) return passed('port', `${address} is served by Innkeeper already`);
    return failed('port', `${address} is held by another program`, ANOTHER_PORT);
  }
  if (problem === 'EACCES') {
    return failed(
      'port',
      `${address} is not allowed to this user`,
      'Give a port above 1023, or the right to bind lower ones.',
    );
  }
  return failed(
    'port',
    `${address} cannot be listened on (${problem})`,
    'Check INNKEEPER_HOST: is it an address of this machine?',
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
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${reachable}:${port}/livez`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok';
  } catch {
    return false;
  }
}
