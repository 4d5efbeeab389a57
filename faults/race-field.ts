import { Agent } from 'node:http';
import { type Outcome, send } from '../packages/server/test/operations/load.ts';
import { type ServeProcess, serve } from '../packages/server/test/operations/serve-process.ts';
import type { Ground } from './campaign.ts';
import { startNaiveServer } from './controls/naive-server.ts';
import { bothDatabases } from './databases.ts';
import { Client, openPlace, type Place } from './guest.ts';
import { rowsOfUser } from './rows-of-user.ts';
import { SETTINGS, setStage } from './stage.ts';

type RaceRequest = { method: string; path: string; body?: object; headers?: Record<string, string> };

/** Where races are run: replicas of one database that get the same requests at once. */
export type RaceField = {
  kind: string;
  /** The first replica. */
  place: Place;
  /** A client of the first replica, for preparing a race. */
  client: Client;
  /** Sent concurrently, to one replica after another. */
  race(requests: RaceRequest[]): Promise<Outcome[]>;
  rowsOf(code: string): Promise<number>;
};

/** On both databases, two replicas each. */
export async function realFields(ground: Ground): Promise<RaceField[]> {
  const fields: RaceField[] = [];
  for (const { kind, url: databaseUrl } of await bothDatabases(ground)) {
    const application = await setStage(databaseUrl);
    const servers = await Promise.all([1, 2].map(() => serve({ settings: { ...SETTINGS, databaseUrl } })));
    ground.defer(() => Promise.all(servers.map(end)));
    const rows = await rowsOfUser(databaseUrl);
    ground.defer(() => rows.close());
    const places = await Promise.all(servers.map(({ url }) => openPlace(url, application)));
    fields.push(field(ground, kind, places, rows.count));
  }
  return fields;
}

/** A server that first reads and then writes. */
export async function naiveField(ground: Ground): Promise<RaceField[]> {
  const server = await startNaiveServer();
  ground.defer(() => server.close());
  return [field(ground, 'naive', [server.place], async (code) => server.rowsOf(code))];
}

export async function end(server: ServeProcess): Promise<void> {
  server.signal('SIGTERM');
  await server.exited;
}

function field(ground: Ground, kind: string, places: Place[], rowsOf: RaceField['rowsOf']): RaceField {
  const agent = new Agent({ keepAlive: true });
  const [place] = places as [Place];
  const client = new Client(place);
  ground.defer(() => {
    agent.destroy();
    client.close();
  });
  return {
    ...{ kind, place, client, rowsOf },
    race: (requests) =>
      Promise.all(
        requests.map(({ method, path, body, headers = {} }, index) =>
          send(method, (places[index % places.length] as Place).url + path, body, { agent, headers }),
        ),
      ),
  };
}
