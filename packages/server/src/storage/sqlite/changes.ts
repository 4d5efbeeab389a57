import type { Change, ChangeStore } from '../port.ts';
import type { Connection } from './connection.ts';

/** Called inside the act that changes something replicas hold in memory. */
export function logChange(connection: Connection, subject: Change['subject'], appId: number | null): void {
  connection.statement('insert into change_log (subject, app_id, at) values (?, ?, ?)').run(subject, appId, Date.now());
}

export function changeReads(connection: Connection): ChangeStore {
  return {
    async since(version) {
      return connection.snapshot(() => {
        const row = connection.statement(`select seq from sqlite_sequence where name = 'change_log'`).get();
        const latest = (row?.seq as number | undefined) ?? 0;
        const changes = connection
          .statement('select version, subject, app_id as appId from change_log where version > ? order by version')
          .all(version) as Change[];
        // Versions have no gaps, so a count is enough; it also notices a file set back to an earlier state.
        return { version: latest, complete: changes.length === latest - version, changes };
      });
    },
  };
}
