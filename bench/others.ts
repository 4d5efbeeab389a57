import type { Conditions, Contestant } from './compare.ts';
import { httpContestant } from './http-contestant.ts';
import { findPgbench, pgbenchLimit } from './limits/pgbench.ts';
import { sqliteLimits } from './limits/sqlite-limit.ts';
import type { Operation } from './operation.ts';
import { startBetterAuth } from './peers/better-auth.ts';
import { startDirectus } from './peers/directus.ts';
import { startParseServer } from './peers/parse-server.ts';
import { installPeers, type Peer } from './peers/peer.ts';

/** Contestants besides the services and the bare servers: the limits of the storage, and the peers. */
export type Others = {
  of(operation: Operation): Promise<Contestant[]>;
  stop(): Promise<void>;
};

type Wanted = {
  /** The services' databases, by their names in the table. */
  databases: Map<string, string>;
  /** Creates an empty PostgreSQL database, if that is part of the run. */
  newPostgres: (() => Promise<string>) | undefined;
  withPeers: boolean;
  conditions: Conditions;
  /** What was skipped, and why. */
  left: string[];
};

/** A peer handles a few hundred requests a second, and each is prepared with a call to it. */
const FIRST_OF_PEERS = 300;

export async function gatherOthers({ databases, newPostgres, withPeers, conditions, left }: Wanted): Promise<Others> {
  const { folder } = conditions;
  const [sqlite, postgres] = [databases.get('sqlite'), databases.get('postgres')];
  const pgbench = postgres ? await findPgbench() : undefined;
  if (postgres && !pgbench) left.push('pgbench: not installed (Debian: apt-get install postgresql)');
  const peers: Peer[] = [];
  const tryToStart = async (name: string, start: () => Promise<Peer>): Promise<void> => {
    try {
      await installPeers();
      peers.push(await start());
    } catch (error) {
      left.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  if (!withPeers) left.push('peers: not requested');
  else {
    if (sqlite) await tryToStart('better-auth', () => startBetterAuth(folder));
    if (newPostgres) await tryToStart('parse-server', async () => startParseServer(await newPostgres(), folder));
    if (newPostgres) await tryToStart('directus', async () => startDirectus(await newPostgres(), folder));
  }
  return {
    async of({ name }) {
      const limits = sqlite ? sqliteLimits(name, sqlite, folder) : [];
      if (postgres && pgbench) limits.push(...(await pgbenchLimit(pgbench, name, postgres, folder)));
      return limits.concat(peers.flatMap((peer) => ofPeer(peer, name, conditions)));
    },
    /** May be called twice. */
    async stop() {
      for (const peer of peers) await peer.stop();
    },
  };
}

function ofPeer({ name, port, child, operations }: Peer, operation: string, conditions: Conditions): Contestant[] {
  const nearest = operations[operation];
  if (!nearest) return [];
  const { once, prepare } = nearest;
  const server = { name, port, child, once, requests: prepare, first: FIRST_OF_PEERS };
  const contestant = httpContestant(server, conditions);
  // On a busy machine, the first of 64 concurrent responses may take longer than a run.
  return [{ name, run: (seconds) => contestant.run(seconds * 2) }];
}
