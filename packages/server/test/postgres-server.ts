import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { type Binaries, postgresBinaries } from './postgres-binaries.ts';
import { roomInMemory } from './room-in-memory.ts';

const run = promisify(execFile);

/**
 * Becomes PostgreSQL, and leaves a watchdog behind that reads a pipe from this process (descriptor 3). When this
 * process dies, even by kill -9, the pipe ends; the watchdog then stops the server and deletes its folder.
 */
const GUARDED = `
server=$$
(
  read -r word <&3
  [ "$word" = gone ] && exit
  kill -INT $server
  [ "$word" = stop ] && exit
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 $server 2>/dev/null || break
    sleep 0.2
  done
  rm -rf "$0"
) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`;

export type PostgresServer = {
  readonly port: number;
  /** Its data folder, which can be copied while the server is paused. */
  readonly data: string;
  url(database: string): string;
  /** Creates an empty database and returns its URL. */
  createDatabase(name?: string): Promise<string>;
  /** Stops the server but keeps its data, for `resume` on the same port. */
  pause(how?: 'fast' | 'crash'): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
};

export type PostgresOptions = {
  /** Whether commits are flushed to disk. Off by default, because few tests simulate a power failure. */
  durable?: boolean;
  /** Random by default; servers of one database share it. */
  password?: string;
  /** The folder of another PostgreSQL's binaries, instead of the embedded one. */
  bin?: string;
  /** Accepts any connection from this machine: nodes of a cluster connect to each other. */
  trust?: boolean;
  /** Additional settings, as `name=value`. */
  settings?: string[];
  /** Starts from a copy of this data, with its password; `standby` of the server in its settings. */
  copyOf?: { data: string; password: string; standby: boolean };
};

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const embedded = await postgresBinaries();
  const { bin } = options;
  const binaries =
    bin === undefined ? embedded : { ...embedded, initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  // Creating a database is five times as fast in memory, and a test run creates hundreds of 10 MB each.
  const inMemory = options.durable ? undefined : await roomInMemory(12);
  const folder = await mkdtemp(join(inMemory ?? binaries.scratch, 'innkeeper-postgres-data-'));
  const { copyOf } = options;
  const password = copyOf?.password ?? options.password ?? randomBytes(16).toString('hex');
  try {
    if (copyOf) await copyData(binaries, folder, copyOf);
    else await initialise(binaries, folder, password, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  let port = 0;
  let running: Running | undefined;

  const start = async (wantedPort?: number): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      port = wantedPort ?? (await freePort());
      running = launch(binaries, folder, port, options);
      try {
        return await untilReady(running, url('postgres'), folder);
      } catch (error) {
        await halt(running, 'fast');
        // Another process may have taken the free port before the server could listen on it.
        if (attempt === 5) throw error;
      }
    }
  };
  const url = (database: string): string =>
    `postgres://innkeeper:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

  await start();
  return {
    get port() {
      return port;
    },
    data: join(folder, 'data'),
    url,
    async createDatabase(name = `test_${randomBytes(8).toString('hex')}`) {
      await createDatabase(url('postgres'), name);
      return url(name);
    },
    async pause(how = 'fast') {
      if (running) await halt(running, how);
      running = undefined;
    },
    resume: () => start(port),
    async stop() {
      if (running) await halt(running, 'fast');
      running = undefined;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function createDatabase(adminUrl: string, name: string, template?: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const copied = template === undefined ? '' : ` template ${client.escapeIdentifier(template)} strategy file_copy`;
    await client.query(`create database ${client.escapeIdentifier(name)}${copied}`);
  } finally {
    await client.end();
  }
}

async function initialise(
  binaries: Binaries,
  folder: string,
  password: string,
  { bin, trust }: PostgresOptions,
): Promise<void> {
  const { account, initdb } = binaries;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(folder, account.uid, account.gid);
  }
  const data = join(folder, 'data');
  const auth = trust ? 'trust' : 'scram-sha-256';
  // A random password needs no slow hash, which every connection would pay for. PostgreSQL 15 lacks the setting.
  const quickHash = bin === undefined ? ['-c', 'scram_iterations=1'] : [];
  await run(
    initdb,
    [
      ...['-D', data, '-U', 'innkeeper', `--pwfile=${passwordFile}`, '-A', auth],
      ...['-E', 'UTF8', '--no-locale', '--no-sync', ...quickHash],
    ],
    { ...account, cwd: folder },
  );
}

async function copyData(
  { account }: Binaries,
  folder: string,
  { data, standby }: { data: string; standby: boolean },
): Promise<void> {
  // With owners and modes, which PostgreSQL checks.
  await run('cp', ['-a', data, join(folder, 'data')]);
  if (standby) await writeFile(join(folder, 'data', 'standby.signal'), '');
  if (account.uid === undefined || account.gid === undefined) return;
  await chown(folder, account.uid, account.gid);
  if (standby) await chown(join(folder, 'data', 'standby.signal'), account.uid, account.gid);
}

type Running = { process: ChildProcess; watchdog: Socket; exited: Promise<unknown> };

function launch(binaries: Binaries, folder: string, port: number, options: PostgresOptions): Running {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // Autovacuum visits every database once a minute, and a test run creates a thousand.
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off', 'autovacuum=off']),
    ...(options.settings ?? []),
  ];
  const command = [
    binaries.postgres,
    '-D',
    join(folder, 'data'),
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const log = openSync(join(folder, 'server.log'), 'a');
  const process = spawn('/bin/sh', ['-c', GUARDED, folder, ...command], {
    ...binaries.account,
    cwd: folder,
    // In its own process group: Ctrl-C reaches only this process, which then stops the server.
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  const watchdog = process.stdio[3] as Socket;
  watchdog.on('error', () => {}); // `exited` reports a server that has ended
  const exited = once(process, 'exit');
  exited.then(() => watchdog.end('gone\n')).catch(() => {});
  process.unref(); // must not keep this process alive; the watchdog stops the server
  watchdog.unref();
  return { process, watchdog, exited };
}

async function halt(server: Running, how: 'fast' | 'crash'): Promise<void> {
  if (server.process.exitCode !== null || server.process.signalCode !== null) return;
  server.process.ref();
  if (how === 'crash') server.process.kill('SIGQUIT');
  else server.watchdog.write('stop\n');
  await server.exited;
}

async function untilReady(server: Running, url: string, folder: string): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    if (server.process.exitCode !== null || server.process.signalCode !== null || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start:\n${await readFile(join(folder, 'server.log'), 'utf8')}`);
    }
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(50);
    }
  }
}
