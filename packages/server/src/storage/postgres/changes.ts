import type { Change, ChangeStore } from '../port.ts';
import { DATABASE_NOW } from './clock.ts';
import { type Connections, statement } from './connections.ts';
import type { Query } from './transactions.ts';

/** Called as the last statement of a transaction that changes something replicas have in memory. */
export async function logChange(query: Query, subject: Change['subject'], appId: number | null): Promise<void> {
  await query(
    `with counted as (update change_counter set version = version + 1 returning version)
     insert into change_log (version, subject, app_id, at)
     select version, $1::text, $2::bigint, ${DATABASE_NOW} from counted`,
    [subject, appId],
  );
}

const SINCE = statement(`
  select c.version as latest, l.version, l.subject, l.app_id
  from change_counter c left join change_log l on l.version > $1
  order by l.version
`);

type SinceRow = { latest: number } & (
  | { version: null }
  | { version: number; subject: Change['subject']; app_id: number | null }
);

export function changeStore(connections: Connections): ChangeStore {
  return {
    async since(version) {
      const rows = await connections.read<SinceRow>(SINCE, [version]);
      const latest = rows[0]?.latest ?? 0;
      const changes = rows.flatMap((row): Change[] =>
        row.version === null ? [] : [{ version: row.version, subject: row.subject, appId: row.app_id }],
      );
      // Versions have no gaps, so a count is enough; it also detects a database restored to an earlier state.
      return { version: latest, complete: changes.length === latest - version, changes };
    },
  };
}
