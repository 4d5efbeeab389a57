import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { typeNo } from '../../packages/server/src/storage/event-rows.ts';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import { askPostgres } from '../ask-postgres.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { EVENTS_AFTER_COMMIT } from '../controls/events-after-commit.ts';
import { bothDatabases, type Database, sqliteIn } from '../databases.ts';
import { openPlace } from '../guest.ts';
import { checkAll, startLoad } from '../load.ts';
import { SETTINGS, setStage } from '../stage.ts';

const CLIENTS = 16;

export const events: Campaign = {
  name: 'events',
  title: 'kill -9 under mixed load, both databases; then every change in the database against its event',
  promise:
    'every acknowledged act is there and has its event, once; no event tells of what did not happen; nothing but ids is left of deleted users',
  operatorSees: "the restart in the supervisor's log",
  unit: 'kills',
  times: { short: 10, full: 500 },
  async run(ground) {
    for (const database of await bothDatabases(ground)) await run(ground, database, {});
  },
  control: {
    what: 'events that are written after the commit',
    times: 3,
    run: (ground) => run(ground, { kind: 'sqlite', url: sqliteIn(ground.folder) }, { nodeArgs: EVENTS_AFTER_COMMIT }),
  },
};

const [CREATED, DELETED, SAVED, UNSET] = (
  ['user.created', 'user.deleted', 'selection.saved', 'selection.unset'] as const
).map(typeNo);

/** Each counts what must not be there. */
const CONTRADICTIONS = {
  'users without an event of their creation, or with two': `
    select count(*) from users u where (select count(*) from events e where e.user_id = u.user_id and e.type = ${CREATED}) <> 1`,
  'creations of users who are neither there nor deleted': `
    select count(*) from events e where e.type = ${CREATED} and not exists (select 1 from users u where u.user_id = e.user_id)
      and not exists (select 1 from events d where d.user_id = e.user_id and d.type = ${DELETED} and d.no > e.no)`,
  'deletes of users who are there': `
    select count(*) from events e join users u on u.user_id = e.user_id where e.type = ${DELETED}`,
  'deleted users without an event, or events without a delete': `
    select abs((select count(*) from deleted_users) - (select count(*) from events where type = ${DELETED}))`,
  'changes of selections without an event, or with two': `
    select count(*) from selection_events s where (
      select count(*) from events e where e.user_id = s.user_id and e.selection_id = s.selection_id and e.event_no = s.event_no
        and e.type = (case when s.to_value is null then ${UNSET} else ${SAVED} end)) <> 1`,
  'events of selections that did not change': `
    select count(*) from events e join users u on u.user_id = e.user_id where e.selection_id is not null and not exists (
      select 1 from selection_events s where s.user_id = e.user_id and s.selection_id = e.selection_id and s.event_no = e.event_no)`,
};

async function run(ground: Ground, { kind, url }: Database, how: ServeOptions): Promise<void> {
  const application = await setStage(url);
  // For the questions below alone: events are read in order, never by user.
  await execute(url, 'create index events_of_user on events (user_id, type)');
  const start = () => serve({ ...how, settings: { ...SETTINGS, databaseUrl: url } });
  let server = await start();
  ground.defer(() => server.signal('SIGKILL'));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, { clients: CLIENTS });
  ground.defer(() => load.close());
  for (let round = 1; round <= ground.times; round++) {
    await ground.attempt(async (lose) => {
      const begun = load.clients.map((client) => client.guests.length);
      load.resume();
      await sleep(50 + Math.random() * 300);
      server.signal('SIGKILL');
      await server.exited;
      await load.pause();
      server = await start();
      place.url = server.url;
      const recent = await checkAll(load, (client) => client.guests.slice(begun[load.clients.indexOf(client)]));
      for (const loss of [...recent, ...load.surprises.splice(0)]) lose(`${kind}: ${loss}`);
      for (const [what, sql] of Object.entries(CONTRADICTIONS)) {
        const count = await countOf(url, sql);
        if (count > 0) lose(`${kind}: ${count} ${what}`);
      }
    });
  }
  const { acknowledged } = load.counts();
  ground.tell(
    `${kind}: ${acknowledged} acts acknowledged, ${await countOf(url, 'select count(*) from events')} events`,
  );
  await load.pause();
}

async function countOf(url: string, sql: string): Promise<number> {
  const [row] = await execute(url, `select (${sql}) as n`);
  return Number((row as { n: string | number }).n);
}

async function execute(url: string, sql: string): Promise<unknown[]> {
  if (!url.startsWith('sqlite:')) return askPostgres(url, sql);
  const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
