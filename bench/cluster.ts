// INNKEEPER_TEST_CITUS=… node scripts/on-pinned-node.js bench/cluster.ts [SECONDS]
//
// Storage acts on one PostgreSQL and on Citus with one, two and three workers, all on this machine, in turns. Prints
// acts a second and the processor time that the servers spend on each, as ratios to the one PostgreSQL.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setStage } from '../faults/stage.ts';
import { storageDriver } from '../packages/server/src/storage/open.ts';
import type { Storage } from '../packages/server/src/storage/port.ts';
import { distribute } from '../packages/server/src/storage/postgres/distributed/distribute.ts';
import { homeOfName, uuidAtHome } from '../packages/server/src/uuid.ts';
import { createUndistributed, startNode } from '../packages/server/test/citus-cluster.ts';
import type { PostgresServer } from '../packages/server/test/postgres-server.ts';
import { newAccessToken, newSelection, newUser } from './limits/storage-acts.ts';

const bin = process.env.INNKEEPER_TEST_CITUS;
if (bin === undefined) throw new Error('Set INNKEEPER_TEST_CITUS: CONTRIBUTING.md says how.');
const seconds = Number(process.argv[2] ?? 3);
const ROUNDS = 3;
const CONCURRENT = 64;
/** A multiple of 1, 2 and 3. */
const HOMES = 6;
const TICK_MS = 10;

type Candidate = {
  title: string;
  servers: PostgresServer[];
  storage: Storage;
  acts: [string, () => Promise<unknown>][];
};

/** Milliseconds of processor time for each act: of all servers, and of the coordinator alone. */
type Measured = { rate: number; cost: number; first: number };

const candidates: Candidate[] = [];
const results = new Map<string, Measured[]>();
try {
  for (const workers of [0, 1, 2, 3]) candidates.push(await prepare(workers));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, [act]] of (candidates[0] as Candidate).acts.entries()) {
      for (const candidate of candidates) {
        const measured = await measure(candidate, (candidate.acts[place] as Candidate['acts'][number])[1]);
        const name = `${act} ${candidate.title}`;
        results.set(name, [...(results.get(name) ?? []), measured]);
      }
    }
  }
  const [plain] = candidates as [Candidate];
  for (const [act] of plain.acts) {
    const base = resultOf(act, plain);
    for (const candidate of candidates) {
      const { rate, cost, first } = resultOf(act, candidate);
      const ratios = `${(rate / base.rate).toFixed(2)} of the rate, ${(cost / base.cost).toFixed(1)} times the processor time`;
      const coordinator = `${(first / base.cost).toFixed(1)} times on the coordinator`;
      process.stdout.write(
        `${act}, ${candidate.title}: ${Math.round(rate)}/s, ${cost.toFixed(2)} ms; ${ratios}, ${coordinator}\n`,
      );
    }
  }
} finally {
  for (const { storage, servers } of candidates) {
    await storage.close();
    for (const server of servers) await server.stop();
  }
}

async function prepare(workers: number): Promise<Candidate> {
  const servers: PostgresServer[] = [];
  for (let node = 0; node <= workers; node++) servers.push(await startNode(bin as string, { durable: true }));
  const urls = servers.map((server) => server.url('postgres'));
  const url =
    workers === 0
      ? await (servers[0] as PostgresServer).createDatabase()
      : await createUndistributed({ urls }, 'bench');
  if (workers > 0) await distribute(url, () => {}, HOMES);
  const { clientId } = await setStage(url);
  const storage = await (await storageDriver(url)).open();
  const place = { appId: Number(clientId.split('_')[0]), keyNo: 1, revision: 1 };
  const change = { at: Date.now(), authMethod: 'user_uid' } as const;
  let [made, exchanged, saved, read] = [0, 0, 0, 0];
  const users: { userId: string; tokenHash: string; home: number }[] = [];
  const tokens: string[] = [];
  const acts: Candidate['acts'] = [
    [
      'create',
      async () => {
        const number = made++;
        const home = homeOfName(place.appId, newUser(place, number, '').clientUserId);
        const user = newUser(place, number, uuidAtHome(home));
        await storage.users.createWithToken(user);
        users.push({ userId: user.userId, tokenHash: user.specialToken.tokenHash, home });
      },
    ],
    [
      'exchange',
      async () => {
        const { tokenHash, home } = next(users, exchanged++);
        const token = { ...newAccessToken(), tokenId: uuidAtHome(home) };
        if (await storage.tokens.exchange(tokenHash, Date.now(), token, home)) tokens.push(token.tokenId);
      },
    ],
    ['save', () => storage.selections.save(place.appId, next(users, saved++).userId, [newSelection(place)], change)],
    ['read selections', () => storage.selections.listOfToken(next(tokens, read++), Date.now())],
  ];
  return { title: workers === 0 ? 'one PostgreSQL' : `Citus with ${workers} workers`, servers, storage, acts };
}

function next<T>(all: T[], nth: number): T {
  return all[nth % all.length] as T;
}

async function measure({ servers }: Candidate, act: () => Promise<unknown>): Promise<Measured> {
  const coordinator = servers.slice(0, 1);
  const [began, before, firstBefore] = [performance.now(), processorMs(servers), processorMs(coordinator)];
  let done = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < began + seconds * 1000) {
      await act();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, client));
  const ms = performance.now() - began;
  return {
    rate: (done / ms) * 1000,
    cost: (processorMs(servers) - before) / done,
    first: (processorMs(coordinator) - firstBefore) / done,
  };
}

/** Of all their processes, including those that have ended. */
function processorMs(servers: PostgresServer[]): number {
  const postmasters = servers.map(({ data }) => readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') as string[];
      const [parent, user, system, ofEnded, systemOfEnded] = [1, 11, 12, 13, 14].map((field) => Number(fields[field]));
      if (postmasters.includes(pid)) ticks += Number(user) + Number(system) + Number(ofEnded) + Number(systemOfEnded);
      else if (postmasters.includes(String(parent))) ticks += Number(user) + Number(system);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MS;
}

function resultOf(act: string, { title }: Candidate): Measured {
  const all = results.get(`${act} ${title}`) as Measured[];
  const of = (name: keyof Measured): number => median(all.map((each) => each[name]));
  return { rate: of('rate'), cost: of('cost'), first: of('first') };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
