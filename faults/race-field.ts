import { Agent } from 'node:http';
import { type Outcome, send } from '../packages/server/test/operations/load.ts';
import { type ServeProcess, serve } from '../packages/server/test/operations/serve-process.ts';
import type { CampaignContext } from './campaign.ts';
import { Client, openPlace, type Place } from './client.ts';
import { startNaiveServer } from './controls/naive-server.ts';
import { bothDatabases } from './databases.ts';
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
export async function realFields(context: CampaignContext): Promise<RaceField[]> {
  const fields: RaceField[] = [];
  for (const { kind, url: databaseUrl } of await bothDatabases(context)) {
    const application = await setStage(databaseUrl);
    const servers = await Promise.all([1, 2].map(() => serve({ settings: { ...SETTINGS, databaseUrl } })));
    context.defer(() => Promise.all(servers.map(end)));
    const rows = await rowsOfUser(databaseUrl);
    context.defer(() => rows.close());
    const places = await Promise.all(servers.map(({ url }) => openPlace(url, application)));
    fields.push(field(context, kind, places, rows.count));
  }
  return fields;
}

/** A server that first reads and then writes. */
export async function naiveField(context: CampaignContext): Promise<RaceField[]> {
  const server = await startNaiveServer();
  context.defer(() => server.close());
  return [field(context, 'naive', [server.place], async (code) => server.rowsOf(code))];
}

export async function end(server: ServeProcess): Promise<void> {
  server.signal('SIGTERM');
  await server.exited;
}

function field(context: CampaignContext, kind: string, places: Place[], rowsOf: RaceField['rowsOf']): RaceField {
  const agent = new Agent({ keepAlive: true });
  const [place] = places as [Place];
  const client = new Client(place);
  context.defer(() => {
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
