import { type ChildProcess, execFile, fork, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guard, stop } from '../service.ts';

/** Another project's server, with the operations nearest to ours, under our names. */
export type Peer = {
  name: string;
  /** The database on which its figures are compared with ours. */
  database: 'sqlite' | 'postgres';
  port: number;
  child: ChildProcess;
  operations: Record<string, PeerOperation>;
  stop(): Promise<void>;
};

export type PeerOperation = {
  /** Whether a request can be sent only once. */
  once: boolean;
  prepare(count: number): Promise<string[]>;
};

const FOLDER = import.meta.dirname;

/** Once per clone and lock file: nothing else in this repository needs these packages. */
export async function installPeers(): Promise<void> {
  const changedAt = async (file: string): Promise<number> => (await stat(join(FOLDER, file))).mtimeMs;
  // npm writes it when everything is in place.
  const installedAt = await changedAt('node_modules/.package-lock.json').catch(() => 0);
  if (installedAt >= (await changedAt('package-lock.json'))) return;
  console.log('installing the peers into bench/peers …');
  await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER });
}

/** In `folder`, where it may leave its logs. */
export async function startPeer(
  script: string,
  argument: string,
  folder: string,
): Promise<Pick<Peer, 'port' | 'child' | 'stop'>> {
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = guard(fork(join(FOLDER, script), [argument], { cwd: folder, stdio }));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with exit code ${code}`);
  });
  ended.catch(() => {});
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
  return { port, child, stop: () => stop(child) };
}

/** One call while preparing; throws unless it succeeds. */
export async function call<T>(port: number, path: string, init: RequestInit & { body?: string }): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** `count` results of `work`, some at a time. */
export async function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: 16 }, take));
  return results;
}
