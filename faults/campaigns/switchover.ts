import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../packages/server/test/free-port.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import { type Campaign, type CampaignContext, CannotRun } from '../campaign.ts';
import { type Client, openPlace } from '../client.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

const run = promisify(execFile);
const CLIENTS = 8;
const NODES = ['a', 'b', 'c'];
const PASSWORD = 'of every role';
/** How long clients may be refused, in one switchover. */
const REFUSED_MS = 1_000;
const PATIENCE_MS = 60_000;

export const switchover: Campaign = {
  name: 'switchover',
  title: 'Patroni (as in [high availability](high-availability.md)) makes another server the primary under load',
  promise: `clients get 503 for at most ${REFUSED_MS / 1000} s; requests not yet sent to the old primary wait for the new one`,
  operatorSees: 'a few requests 503 (9503), others slow',
  unit: 'switchovers',
  times: { short: 1, full: 6 },
  run: (context) => runCampaign(context, true),
  control: {
    what: 'a service that knows one of the three addresses',
    times: 1,
    run: (context) => runCampaign(context, false),
  },
};

type Node = { name: string; port: number; api: number; config: string };

async function runCampaign(context: CampaignContext, knowsAll: boolean): Promise<void> {
  const cluster = await startCluster(context);
  const first = await cluster.leader();
  const databaseUrl = (nodes: Node[]): string =>
    `postgres://postgres:${encodeURIComponent(PASSWORD)}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}/postgres`;
  const application = await setStage(databaseUrl([first]));
  const server = await serve({
    settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl: databaseUrl(knowsAll ? cluster.nodes : [first]) },
  });
  context.defer(() => end(server));
  const load = startLoad(await openPlace(server.url, application), { clients: CLIENTS });
  context.defer(() => load.close());
  const refused: number[] = [];
  const waited: number[] = [];
  for (let round = 0; round < context.times; round++) {
    await context.attempt(async (lose) => {
      const outage = watchOutage(load.clients);
      load.resume();
      await sleep(1_000);
      await cluster.switchOver();
      await sleep(8_000);
      await load.pause();
      const { refusedMs, waitedMs } = outage();
      refused.push(refusedMs);
      waited.push(waitedMs);
      if (refusedMs > REFUSED_MS) lose(`clients were refused for ${Math.round(refusedMs)} ms`);
      for (const loss of [...(await checkAll(load)), ...load.unexpected.splice(0)]) lose(loss);
    });
  }
  context.report(`${load.counts().acknowledged} acts acknowledged, ${load.counts().unknown} refused or unknown`);
  context.report(`refused for ${worst(refused)} ms; without an acknowledged write for ${worst(waited)} ms`);
}

/** Looks at the clients' counts until called: from the first refusal to the last, and the longest time without success. */
function watchOutage(clients: Client[]): () => { refusedMs: number; waitedMs: number } {
  const sum = (kind: 'acknowledged' | 'unknown'): number =>
    clients.reduce((total, { counts }) => total + counts[kind], 0);
  let [seen, done] = [sum('unknown'), sum('acknowledged')];
  let doneAt = performance.now();
  let waitedMs = 0;
  const refusals: number[] = [];
  const timer = setInterval(() => {
    const now = performance.now();
    if (sum('unknown') > seen) refusals.push(now);
    if (sum('acknowledged') > done) {
      waitedMs = Math.max(waitedMs, now - doneAt);
      doneAt = now;
    }
    [seen, done] = [sum('unknown'), sum('acknowledged')];
  }, 10);
  return () => {
    clearInterval(timer);
    return { refusedMs: (refusals.at(-1) ?? 0) - (refusals[0] ?? 0), waitedMs };
  };
}

type Cluster = { nodes: Node[]; leader(): Promise<Node>; switchOver(): Promise<void> };

async function startCluster(context: CampaignContext): Promise<Cluster> {
  const account = await postgresAccount(context);
  const bin = await findServer();
  const etcd = await startEtcd(context);
  const nodes: Node[] = [];
  for (const name of NODES) {
    const node = { name, port: await freePort(), api: await freePort(), config: join(context.folder, `${name}.json`) };
    await writeFile(node.config, JSON.stringify(configure(node, { folder: context.folder, bin, etcd })), {
      mode: 0o644,
    });
    await start(context, 'patroni', [node.config], account);
    nodes.push(node);
  }
  const members = async (): Promise<{ name: string; role: string; state: string }[]> => {
    const response = await fetch(`http://127.0.0.1:${nodes[0]?.api}/cluster`);
    return ((await response.json()) as { members: { name: string; role: string; state: string }[] }).members;
  };
  /** There is a leader and a synchronous standby, and every standby follows the leader. */
  const healthy = async (): Promise<Node> => {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(200)) {
      const found = await members().catch(() => []);
      const roles = found.map(({ role }) => role);
      const leader = nodes.find(({ name }) => found.find(({ role }) => role === 'leader')?.name === name);
      const isComplete =
        found.every(({ state }) => /^(running|streaming)$/.test(state)) && roles.includes('sync_standby');
      if (leader && found.length === NODES.length && isComplete) return leader;
      if (Date.now() > deadline) throw new Error(`the cluster did not become healthy: ${JSON.stringify(found)}`);
    }
  };
  await healthy();
  return {
    nodes,
    leader: healthy,
    async switchOver() {
      const leader = await healthy();
      const candidate = (await members()).find(({ role }) => role === 'sync_standby')?.name;
      const body = JSON.stringify({ leader: leader.name, candidate });
      const response = await fetch(`http://127.0.0.1:${leader.api}/switchover`, { method: 'POST', body });
      if (!response.ok) throw new Error(`Patroni refused to switch over: ${await response.text()}`);
    },
  };
}

/** The settings of docs/high-availability.md, without a watchdog. */
function configure(node: Node, { folder, bin, etcd }: { folder: string; bin: string; etcd: number }): object {
  const role = (username: string): object => ({ username, password: PASSWORD });
  return {
    scope: 'innkeeper',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.api}`, connect_address: `127.0.0.1:${node.api}` },
    etcd3: { hosts: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 5, retry_timeout: 5, maximum_lag_on_failover: 0 },
        ...{ synchronous_mode: true, synchronous_mode_strict: true },
        postgresql: { use_pg_rewind: true, parameters: { synchronous_commit: 'on', wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${node.port}`, connect_address: `127.0.0.1:${node.port}` },
      ...{ data_dir: join(folder, node.name, 'data'), bin_dir: bin, pgpass: join(folder, node.name, 'pgpass') },
      parameters: { unix_socket_directories: '' },
      authentication: { superuser: role('postgres'), replication: role('replicator'), rewind: role('rewinder') },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
    },
  };
}

async function startEtcd(context: CampaignContext): Promise<number> {
  const [port, peer] = [await freePort(), await freePort()];
  const [client, own] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`];
  const args = ['--data-dir', join(context.folder, 'etcd'), '--listen-client-urls', client];
  args.push('--advertise-client-urls', client, '--listen-peer-urls', own, '--initial-advertise-peer-urls', own);
  await start(context, 'etcd', [...args, '--initial-cluster', `default=${own}`, '--enable-v2']);
  return port;
}

async function start(context: CampaignContext, program: string, args: string[], account = {}): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore'], ...account });
  // A program that is not there never exits.
  const exited = once(child, 'exit').catch(() => {});
  await once(child, 'spawn').catch(() => {
    throw new CannotRun('needs Patroni, etcd and PostgreSQL: apt-get install patroni etcd-server postgresql');
  });
  context.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
}

/** PostgreSQL does not run as root. */
async function postgresAccount(context: CampaignContext): Promise<{ uid?: number; gid?: number }> {
  const isRoot = process.getuid?.() === 0;
  const idOf = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  const account = isRoot ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
  for (const name of NODES) await mkdir(join(context.folder, name), { mode: 0o777 });
  if (isRoot) for (const path of [join(context.folder, '..'), context.folder]) await chmod(path, 0o755);
  if (isRoot) for (const name of NODES) await chmod(join(context.folder, name), 0o777);
  return account;
}

/** The newest PostgreSQL of Debian. */
async function findServer(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new CannotRun('needs PostgreSQL as Debian installs it: apt-get install postgresql');
  return `/usr/lib/postgresql/${newest}/bin`;
}
