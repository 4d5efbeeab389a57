import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A user as `innkeeper users import` reads it: one object per line. */
export type TestUser = {
  clientUserId: string;
  clientUserName: string;
  service_user_code?: string;
  options?: { group: string; key: string; value: unknown[]; language?: string }[];
};

export type TestOptions = {
  /** As in a catalog file: YAML or JSON as a string, or the object itself. */
  catalog?: string | object;
  users?: TestUser[];
  /** The application's name. */
  name?: string;
  /** The application's settings, as for `innkeeper app set`: `{ allowedOrigins: ['http://localhost:5173'] }`. */
  settings?: Record<string, unknown>;
};

export type SignedIn = { access_token: string; service_user_code: string };

export type TestInnkeeper = {
  url: string;
  clientId: string;
  clientSecret: string;
  /** An access token for a user, who is created if there is none yet. */
  signIn(user: { clientUserId: string; clientUserName: string }): Promise<SignedIn>;
  /** Restores the catalog and the users of the start, and the real time. */
  reset(): Promise<void>;
  /** Moves the service's clock from now on: `advance(3_600_000)` lets an access token expire. */
  advance(milliseconds: number): Promise<void>;
  /** Ends the service and deletes its data. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starting allocates more than the default holds: without this, a tenth of the start is collecting garbage. */
const NODE_FLAGS = ['--min-semi-space-size=16'];

type Reply = { id: number; result?: never; failed?: string };

/**
 * The real service in its own process, with one application. It keeps nothing and ends with the process that started
 * it.
 */
export async function startInnkeeper(options: TestOptions = {}): Promise<TestInnkeeper> {
  const { catalog, users = [], name = 'Test', settings = {} } = options;
  const { child, ask, listening } = await startService();
  const close = async (): Promise<void> => {
    if (hasEnded(child)) return;
    child.ref();
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
  };
  try {
    const setUp = ask<{ clientId: string; clientSecret: string }>({ do: 'setUp', name, catalog, users, settings });
    const [{ url }, application] = await Promise.all([listening, setUp]);
    // A service that a test forgot must not keep the test's process alive.
    child.unref();
    let offsetMs = 0;
    return {
      url,
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      signIn: ({ clientUserId, clientUserName }) =>
        ask<SignedIn>({ do: 'signIn', clientId: application.clientId, clientUserId, clientUserName }),
      async reset() {
        offsetMs = 0;
        await ask({ do: 'reset' });
      },
      async advance(milliseconds) {
        if (!Number.isFinite(milliseconds)) throw new TypeError('advance requires a number of milliseconds');
        offsetMs += milliseconds;
        await ask({ do: 'moveClock', offsetMs });
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

type Command = { node: string; args: string[]; cache: string };

let command: Promise<Command> | undefined;

/** In a clone whose sources are newer than the build, the service runs from its sources. */
async function findCommand(): Promise<Command> {
  const server = dirname(createRequire(import.meta.url).resolve('@innkeeper/server/package.json'));
  const load = (file: string) => import(pathToFileURL(join(server, 'bin', file)).href);
  const [runtime, { entry }] = await Promise.all([load('runtime.js'), load('entry.js')]);
  const node: string = (runtime.isNewEnough() ? undefined : runtime.findPinnedNode()) ?? process.execPath;
  const cache: string = runtime.compileCacheFolder();
  const isBuilt = entry().includes('dist');
  const script = isBuilt ? ['bin/ephemeral.cjs', cache] : ['bin/innkeeper.js', 'serve', '--ephemeral'];
  return { node, args: [...NODE_FLAGS, join(server, script[0] as string), ...script.slice(1)], cache };
}

async function startService() {
  command ??= findCommand().catch((error) => {
    command = undefined;
    throw error;
  });
  const { node, args, cache } = await command;
  // Settings of the machine, and its collector of OpenTelemetry, must not affect tests.
  // biome-ignore lint/style/noProcessEnv: all other variables, such as PATH, are passed on
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(INNKEEPER|OTEL)_/.test(key)));
  const child: ChildProcess = spawn(node, args, {
    env: { NODE_COMPILE_CACHE: cache, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let lastId = 0;
  const replyOf = <T>(id: number): Promise<T> =>
    new Promise((resolve, reject) => waiting.set(id, { resolve: resolve, reject }));
  child.on('message', ({ id, result, failed }: Reply) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (failed === undefined) waiter?.resolve(result as never);
    else waiter?.reject(new Error(failed));
  });
  const gone = (why: string) => () => {
    for (const { reject } of waiting.values()) reject(new Error(`Innkeeper ${why}`));
    waiting.clear();
  };
  child.once('exit', gone('has ended')).on('error', gone('could not be started'));
  const listening = replyOf<{ url: string }>(0);
  const ask = async <T>(order: object): Promise<T> => {
    if (hasEnded(child)) throw new Error('Innkeeper has ended');
    const id = ++lastId;
    const reply = replyOf<T>(id);
    child.channel?.ref();
    child.send({ id, ...order });
    try {
      return await reply;
    } finally {
      child.channel?.unref();
    }
  };
  return { child, ask, listening };
}
