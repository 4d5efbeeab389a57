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
};

export type TestInnkeeper = {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Restores the catalog and the users of the start, and the real time. */
  reset(): Promise<void>;
  /** Moves the service's clock from now on: `advance(3_600_000)` lets an access token expire. */
  advance(milliseconds: number): Promise<void>;
  /** Ends the service and deletes its data. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Answer = { id: number; result?: never; failed?: string };

/**
 * The real service in its own process, with one application. It keeps nothing and ends with the process that started
 * it.
 */
export async function startInnkeeper({ catalog, users = [], name = 'Test' }: TestOptions = {}): Promise<TestInnkeeper> {
  const { child, ask, url } = await startService();
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
  };
  try {
    const application = await ask<{ clientId: string; clientSecret: string }>({ do: 'setUp', name, catalog, users });
    let offsetMs = 0;
    return {
      url,
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      async reset() {
        offsetMs = 0;
        await ask({ do: 'reset' });
      },
      async advance(milliseconds) {
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

async function startService() {
  const server = dirname(createRequire(import.meta.url).resolve('@innkeeper/server/package.json'));
  const runtime = await import(pathToFileURL(join(server, 'bin/runtime.js')).href);
  const node: string = (runtime.isNewEnough() ? undefined : runtime.findPinnedNode()) ?? process.execPath;
  // Innkeeper settings of the machine must not affect tests.
  // biome-ignore lint/style/noProcessEnv: all other variables, such as PATH, are passed on
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('INNKEEPER_')));
  const child: ChildProcess = spawn(node, [join(server, 'bin/innkeeper.js'), 'serve', '--ephemeral'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let lastId = 0;
  const answerOf = <T>(id: number): Promise<T> =>
    new Promise((resolve, reject) => waiting.set(id, { resolve: resolve as (result: never) => void, reject }));
  child.on('message', ({ id, result, failed }: Answer) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (failed === undefined) waiter?.resolve(result as never);
    else waiter?.reject(new Error(failed));
  });
  const gone = (why: string) => () => {
    for (const { reject } of waiting.values()) reject(new Error(`Innkeeper ${why}`));
    waiting.clear();
  };
  child.once('exit', gone('has ended')).once('error', gone('could not be started'));
  const { url } = await answerOf<{ url: string }>(0);
  // A service that a test forgot must not keep the test's process alive.
  child.unref();
  child.channel?.unref();
  const ask = async <T>(order: object): Promise<T> => {
    const id = ++lastId;
    const answer = answerOf<T>(id);
    child.channel?.ref();
    child.send({ id, ...order });
    try {
      return await answer;
    } finally {
      child.channel?.unref();
    }
  };
  return { child, ask, url };
}
