import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createApplication, type NewApplication } from '../../src/domain/applications/application.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { environmentName, type SettingName, type Settings } from '../../src/service-settings.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { freePort } from '../free-port.ts';
import { SECRET } from '../http/start.ts';

export const BIN = fileURLToPath(new URL('../../bin/innkeeper.js', import.meta.url));

export type ServeProcess = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Stops reading its output. */
  closeStdout(): void;
  /** The JSON lines of its log so far. */
  logs(): Record<string, unknown>[];
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended and its output has been read completely. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

export type ServeOptions = {
  settings?: Settings;
  args?: string[];
  /** The script to run, by default the bin. */
  script?: string;
  /** Arguments for Node itself. */
  nodeArgs?: string[];
  cwd?: string;
  /** Additional environment variables. */
  env?: NodeJS.ProcessEnv;
  /** Maximum size of its files in KiB: close to a full disk, without needing a separate disk. */
  largestFile?: number;
  /** Maximum number of open files and connections. */
  openFiles?: number;
  /** Runs with the rights of the files' owner, even if the tests run as root. */
  asOwner?: boolean;
  /** A file, FIFO or device to append its standard output to. */
  stdout?: string;
  /** Returns without waiting until it is ready, because it is expected to fail. */
  failing?: boolean;
};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs `innkeeper serve` like an operator, in its own process; returns when it is ready. */
export async function serve(options: ServeOptions): Promise<ServeProcess> {
  const { settings = {}, script = BIN, args = [], nodeArgs = [], cwd, largestFile, failing = false } = options;
  const port = Number(settings.port ?? (await freePort()));
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, ...options.env };
  for (const [name, value] of Object.entries({ ...settings, port: String(port) })) {
    env[environmentName(name as SettingName)] = value;
  }
  // Run the script directly instead of through the bin's re-run: signals must reach the server.
  const command = [process.execPath, ...nodeArgs, script, 'serve', ...args] as [string, ...string[]];
  if (options.asOwner && process.getuid?.() === 0) {
    command.unshift('setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner');
  }
  const [file, ...rest] = limited({ f: largestFile, n: options.openFiles }, command);
  const stdout = options.stdout === undefined ? 'pipe' : openSync(options.stdout, 'a');
  const child = spawn(file, rest, { cwd, env, stdio: ['ignore', stdout, 'pipe'] });
  if (stdout !== 'pipe') closeSync(stdout);
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const exited = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const url = `http://127.0.0.1:${port}`;
  const server: ServeProcess = {
    url,
    port,
    pid: child.pid as number,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    closeStdout: () => child.stdout?.destroy(),
    logs: () =>
      output.stdout
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    signal: (name) => child.kill(name),
    exited,
  };
  if (failing) return server;
  try {
    await ready(server, child);
  } catch (error) {
    // It may just be slow, but nothing else would end it.
    child.kill('SIGKILL');
    throw error;
  }
  return server;
}

/** Bash passes its limits on to the program that replaces it. */
function limited(limits: Record<string, number | undefined>, command: [string, ...string[]]): [string, ...string[]] {
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  if (set.length === 0) return command;
  const orders = set.map(([name, limit]) => `ulimit -${name} ${limit};`).join(' ');
  return ['bash', '-c', `${orders} exec "$@"`, 'bash', ...command];
}

/** Ends all processes that a test left running. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const gone = once(child, 'exit');
      if (child.exitCode !== null || child.signalCode !== null || !child.kill('SIGKILL')) return;
      await gone;
    }),
  );
}

async function ready(server: ServeProcess, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; ) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new Error(`innkeeper serve did not come up:\n${server.stdout()}\n${server.stderr()}`);
    }
    try {
      if ((await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })).ok) return;
    } catch {
      // not listening yet
    }
    await sleep(20);
  }
}

/** Creates an application with the tests' secret, before any server runs on the database. */
export async function makeApplication(databaseUrl: string): Promise<NewApplication> {
  const storage = await (await storageDriver(databaseUrl)).open();
  try {
    return await createApplication(storage, createKeyring(SECRET), 'Test', Date.now());
  } finally {
    await storage.close();
  }
}
