import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { waitForDatabase } from '../../src/run.ts';
import { StorageUnavailable } from '../../src/storage/port.ts';
import { postgres } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { SECRET, startTestServer } from '../http/start.ts';

/** A proxy between the service and the database that can be taken down. */
class Way {
  readonly #target: URL;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(target: URL, port: number) {
    this.#target = target;
    this.#port = port;
  }

  async open(): Promise<void> {
    this.#server = createServer((from) => {
      const to = connect(Number(this.#target.port), this.#target.hostname);
      for (const socket of [from, to]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      }
      from.pipe(to).pipe(from);
    }).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const port = await freePort();
const target = new URL(await postgres.fresh());
const way = new Way(target, port);
const databaseUrl = Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href;
afterAll(() => way.close());

test('the start waits for a database, says so, and /readyz reports when it is away', async () => {
  const config = readConfig({ databaseUrl, secret: SECRET }, { env: {} });
  const lines: { msg: string; level: number }[] = [];
  const waiting = Promise.withResolvers<void>();
  const logger = pino({
    hooks: {
      logMethod(args, _method, level) {
        lines.push({ msg: String(args.at(-1)), level });
        waiting.resolve();
      },
    },
  });
  const waited = waitForDatabase(config, logger);
  await waiting.promise;
  await way.open();
  await waited;
  expect(lines[0]).toEqual({ msg: 'the database cannot be reached; retrying', level: 40 });
  expect(lines.at(-1)).toEqual({ msg: 'the database is reachable', level: 30 });

  const server = await startTestServer(databaseUrl);
  try {
    const { clientId } = await server.application();
    expect((await server.send('GET', '/readyz')).status).toBe(200);
    const catalog = () => server.send('GET', '/api/option_groups', { headers: { apiKey: clientId } });
    expect((await catalog()).status).toBe(200);
    way.close();
    await expect
      .poll(async () => (await server.send('GET', '/readyz')).json.message, { timeout: 10_000 })
      .toBe('The database is unreachable.');
    expect((await catalog()).status).toBe(200);
    await way.open();
    await expect.poll(async () => (await server.send('GET', '/readyz')).status, { timeout: 10_000 }).toBe(200);
  } finally {
    await server.close();
  }
});

test('it gives up after the configured time, with the reason', async () => {
  const nowhere = `postgres://innkeeper@127.0.0.1:${await freePort()}/none`;
  const config = readConfig({ databaseUrl: nowhere, secret: SECRET, databaseWait: '1s' }, { env: {} });
  await expect(waitForDatabase(config, pino({ level: 'silent' }))).rejects.toThrow(StorageUnavailable);
});
