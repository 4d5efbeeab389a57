import { DatabaseSync } from 'node:sqlite';
import { typeNumber } from '../packages/server/src/storage/event-rows.ts';
import { askPostgres } from './ask-postgres.ts';

const [CREATED, DELETED, SAVED, UNSET] = (
  ['user.created', 'user.deleted', 'selection.saved', 'selection.unset'] as const
).map(typeNumber);

/** Each counts rows that must not exist. */
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

/** Adds an index for the queries below: the service reads events in order, never by user. */
export async function prepareEventCheck(url: string): Promise<void> {
  await execute(url, 'create index events_of_user on events (user_id, type)');
}

/** Where changes in the database and their events disagree. */
export async function checkEvents(url: string): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of Object.entries(CONTRADICTIONS)) {
    const count = await countOf(url, sql);
    if (count > 0) found.push(`${count} ${what}`);
  }
  return found;
}

export function countEvents(url: string): Promise<number> {
  return countOf(url, 'select count(*) from events');
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
