// INNKEEPER_TEST_CITUS=… node scripts/on-pinned-node.js bench/cluster-backup.ts [USERS] [ROUNDS]
//
// `innkeeper backup` and `restore` of a coordinator and two workers on this machine, with workers that respond immediately
// and with workers that respond 2 ms later, as if they were elsewhere.

import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { setStage } from '../faults/stage.ts';
import { storageDriver } from '../packages/server/src/storage/open.ts';
import { distribute } from '../packages/server/src/storage/postgres/distributed/distribute.ts';
import { createUndistributed, run, startNode } from '../packages/server/test/citus-cluster.ts';
import { commandLine } from '../packages/server/test/cli/run-innkeeper.ts';
import type { PostgresServer } from '../packages/server/test/postgres-server.ts';

const bin = process.env.INNKEEPER_TEST_CITUS;
if (bin === undefined) throw new Error('Set INNKEEPER_TEST_CITUS: CONTRIBUTING.md says how.');
const users = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const LATER_MS = 2;
const IMPORTED = 1000;
let delayMs = 0;

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
try {
  const source = `sqlite:${join(folder, 'source.db')}`;
  await fill(source);
  const file = join(folder, 'source.backup');
  await commandLine(source).json('backup', file);
  const url = await startCluster();
  const cluster = commandLine(url);
  for (let round = 0; round < rounds; round++) {
    for (const ms of [0, LATER_MS]) {
      delayMs = ms;
      await run(url, 'truncate table applications cascade');
      const restored = await cluster.json('restore', file);
      const made = await cluster.json('backup', join(folder, 'cluster.backup'), '--force');
      process.stdout.write(
        `workers ${ms} ms away, ${made.rows} rows: restore ${restored.seconds.toFixed(1)} s, backup ${made.seconds.toFixed(1)} s\n`,
      );
    }
  }
} finally {
  for (const end of ends.toReversed()) await end();
}

/** User codes are from elsewhere, so most profiles are in two homes. */
async function fill(url: string): Promise<void> {
  const { clientId } = await setStage(url);
  const appId = Number(clientId.split('_')[0]);
  const storage = await (await storageDriver(url)).open();
  const change = { at: Date.now(), ifThere: 'compare', importId: randomUUID() } as const;
  for (let made = 0; made < users; made += IMPORTED) {
    const entries = Array.from({ length: IMPORTED }, (_, nth) => ({
      clientUserId: `user-${made + nth}@example.com`,
      clientUserName: 'Ada Lovelace',
      userId: null,
      newUserId: randomUUIDv7(),
      createdAt: change.at,
      selections: [],
    }));
    const imported = await storage.transfer.importUsers(appId, entries, change);
    if ('outcome' in imported) throw new Error(imported.outcome);
  }
  await storage.close();
}

async function startCluster(): Promise<string> {
  const servers: PostgresServer[] = [];
  for (let node = 0; node < 3; node++) {
    const server = await startNode(bin as string);
    servers.push(server);
    ends.push(() => server.stop());
  }
  const [coordinator, ...workers] = servers.map((server) => server.url('postgres')) as [string, ...string[]];
  const urls = [coordinator];
  for (const worker of workers) {
    urls.push(Object.assign(new URL(worker), { port: await startProxy(Number(new URL(worker).port)) }).href);
  }
  const url = await createUndistributed({ urls }, 'bench');
  await distribute(url, () => {});
  return url;
}

/** Passes on what the worker says a while later. */
async function startProxy(port: number): Promise<number> {
  const proxy = createServer({ noDelay: true }, (socket) => {
    const worker = connect({ port, host: '127.0.0.1', noDelay: true });
    const later = new Transform({
      transform(chunk, _, done) {
        if (delayMs === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), delayMs);
      },
    });
    pipeline(socket, worker, () => {});
    pipeline(worker, later, socket, () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  ends.push(async () => proxy.close());
  return (proxy.address() as AddressInfo).port;
}
