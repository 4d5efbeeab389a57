import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../packages/server/test/free-port.ts';

/** The command of a checkout. */
export const commandOf = (checkout: string): string => join(checkout, 'packages/server/bin/innkeeper.js');

const OWN = commandOf(join(import.meta.dirname, '..'));

export type Service = {
  port: number;
  url: string;
  child: ChildProcess;
  /** From the start of the process to the first 200 of /readyz. */
  readyMs: number;
  stop(): Promise<void>;
};

/** Runs `innkeeper ARGS` in its own process, with `input` if given; returns its output. */
export async function innkeeper(
  args: string[],
  settings: NodeJS.ProcessEnv,
  input?: Iterable<string>,
  command = OWN,
): Promise<string> {
  const env = { ...process.env, ...settings };
  const running = promisify(execFile)(process.execPath, [command, ...args], { env, maxBuffer: 2 ** 30 });
  const { stdin } = running.child;
  // If it ends early, the command itself reports why.
  if (input && stdin) await pipeline(Readable.from(input), stdin).catch(() => {});
  return (await running).stdout;
}

/**
 * `innkeeper serve` as operators run it, including its log, on a free port of 127.0.0.1 unless the settings name one.
 */
export async function startService(
  settings: NodeJS.ProcessEnv,
  nodeArgs: string[] = [],
  command = OWN,
): Promise<Service> {
  const port = Number(settings.INNKEEPER_PORT ?? (await freePort()));
  const before = performance.now();
  const args = [...nodeArgs, command, 'serve', '--port', String(port)];
  const env = { ...process.env, ...settings };
  const child = guard(spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }));
  await untilReady(port, child);
  const readyMs = performance.now() - before;
  return { port, url: `http://127.0.0.1:${port}`, child, readyMs, stop: () => stop(child) };
}

export async function untilReady(port: number, child: ChildProcess): Promise<void> {
  while (!(await isReady(port))) {
    const { exitCode, signalCode } = child;
    if (exitCode !== null || signalCode)
      throw new Error(`The service ended with ${signalCode ?? `exit code ${exitCode}`}.`);
    await sleep(2);
  }
}

const started = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of started) child.kill();
});

/** Ends a child process together with the benchmark, however that ends. */
export function guard(child: ChildProcess): ChildProcess {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** User and system time of all its threads in milliseconds; Linux counts in hundredths of a second. */
export async function processorTime({ pid }: { pid?: number | undefined }): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

export async function residentMegabytes({ pid }: { pid?: number | undefined }): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** With node:http and without keep-alive: `fetch` would take processor time from the service it waits for. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
