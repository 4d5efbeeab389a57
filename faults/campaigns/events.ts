import { setTimeout as sleep } from 'node:timers/promises';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { checkEvents, countEvents, prepareEventCheck } from '../check-events.ts';
import { openPlace } from '../client.ts';
import { EVENTS_AFTER_COMMIT } from '../controls/events-after-commit.ts';
import { bothDatabases, type Database, sqliteIn } from '../databases.ts';
import { checkAll, startLoad } from '../load.ts';
import { SETTINGS, setStage } from '../stage.ts';

const CLIENTS = 16;

export const events: Campaign = {
  name: 'events',
  title: 'kill -9 under mixed load, on both databases; then every change is compared with its event',
  promise: 'every acknowledged act has its event, once; no event without a change; only ids are left of deleted users',
  operatorSees: 'the restart',
  unit: 'kills',
  times: { short: 10, full: 250 },
  async run(context) {
    for (const database of await bothDatabases(context)) await run(context, database, {});
  },
  control: {
    what: 'events written after the commit',
    times: 3,
    run: (context) =>
      run(context, { kind: 'sqlite', url: sqliteIn(context.folder) }, { nodeArgs: EVENTS_AFTER_COMMIT }),
  },
};

async function run(context: CampaignContext, { kind, url }: Database, how: ServeOptions): Promise<void> {
  const application = await setStage(url);
  await prepareEventCheck(url);
  const start = () => serve({ ...how, settings: { ...SETTINGS, databaseUrl: url } });
  let server = await start();
  context.defer(() => server.signal('SIGKILL'));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, { clients: CLIENTS });
  context.defer(() => load.close());
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const begun = load.clients.map((client) => client.users.length);
      load.resume();
      await sleep(50 + Math.random() * 300);
      server.signal('SIGKILL');
      await server.exited;
      await load.pause();
      server = await start();
      place.url = server.url;
      const recent = await checkAll(load, (client) => client.users.slice(begun[load.clients.indexOf(client)]));
      for (const loss of [...recent, ...load.unexpected.splice(0), ...(await checkEvents(url))])
        lose(`${kind}: ${loss}`);
    });
  }
  const { acknowledged } = load.counts();
  context.report(`${kind}: ${acknowledged} acts acknowledged, ${await countEvents(url)} events`);
  await load.pause();
}
