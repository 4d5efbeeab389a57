import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RawResponse } from '../send.ts';
import { guard, stop } from '../service.ts';

export type Limit = { port: number; child: ChildProcess; stop(): Promise<void> };

/** Headers that node's server adds by itself. */
const ADDED_BY_NODE = ['date', 'connection', 'keep-alive'];

export const startBareHttp = (_: string, response: RawResponse): Promise<Limit> =>
  startLimit('bare-http.ts', withoutAdded(response));

/** One route, at the path of `request` without its query. */
export function startBareFastify(request: string, response: RawResponse): Promise<Limit> {
  const [method, target = '/'] = request.split(' ', 2);
  return startLimit('bare-fastify.ts', { method, path: target.split('?')[0], response: withoutAdded(response) });
}

async function startLimit(script: string, message: object): Promise<Limit> {
  const child = guard(fork(join(import.meta.dirname, script)));
  child.send(message);
  const [port] = (await Promise.race([once(child, 'message'), ended(child)])) as [number];
  return { port, child, stop: () => stop(child) };
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`A limit ended with exit code ${code} before it listened.`);
}

function withoutAdded({ status, headers, body }: RawResponse): RawResponse {
  return { status, headers: headers.filter(([name]) => !ADDED_BY_NODE.includes(name.toLowerCase())), body };
}
