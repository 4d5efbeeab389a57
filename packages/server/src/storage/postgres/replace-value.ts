import type { SelectionStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { addSelectionEvents } from './events.ts';

// Lock users first, in order, as saves and deletes do. A user being deleted is skipped.
const REPLACE = statement(`
  with chosen as materialized (
    select s.user_id from selections s join users u on u.user_id = s.user_id
    where s.app_id = $1 and s.key_no = $2 and s.value = $3 order by s.user_id limit $4
    for key share of u skip locked
  ), saved as (
    update selections s set value = $5, revision = $6::integer, updated_at = $7::bigint,
      last_event = s.last_event + 1, previous_value = s.value, means = 'manage', shown_in = null
    from chosen c where s.user_id = c.user_id and s.key_no = $2 and s.value = $3
    returning s.user_id, s.app_id, s.selection_id, s.last_event as event_no, s.key_no, s.revision
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, from_value, to_value)
    select user_id, selection_id, event_no, $2::integer, $7::bigint, 'manage', $8::text, $3::text, $5::text from saved
  ), noted as (${addSelectionEvents('selection.saved', '$7::bigint', 'saved')})
  select count(*) as n from saved
`);

export function replaceValueStore(connections: Connections): Pick<SelectionStore, 'replaceValue'> {
  return {
    async replaceValue(appId, { keyNo, from, to, revision, limit }, { at, actor }) {
      const values = [appId, keyNo, from, limit, to, revision, at, actor];
      const [row] = await connections.write<{ n: number }>(REPLACE, values);
      return row?.n ?? 0;
    },
  };
}
