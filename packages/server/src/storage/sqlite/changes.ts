import type { Change, ChangeStore } from '../port.ts';
import type { Connection } from './connection.ts';

/** Called inside an act that changes something replicas keep in memory. */
export function logChange(connection: Connection, subject: Change['subject'], appId: number | null): void {
  connection.statement('insert into change_log (subject, app_id, at) values (?, ?, ?)').run(subject, appId, Date.now());
}

export function changeReads({ statement, value, snapshot }: Connection): ChangeStore {
  return {
    async since(version) {
      return snapshot(() => {
        const latest = value<number | undefined>(`select seq from sqlite_sequence where name = 'change_log'`) ?? 0;
        const changes = statement<Change>(
          'select version, subject, app_id as appId from change_log where version > ? order by version',
        ).all(version);
        // Versions have no gaps, so a count is enough; it also detects a file restored to an earlier state.
        return { version: latest, complete: changes.length === latest - version, changes };
      });
    },
  };
}
