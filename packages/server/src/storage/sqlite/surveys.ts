import type { KeySurvey, SelectionStore, ValueRow } from '../port.ts';
import type { Connection } from './connection.ts';
import { walkReads } from './user-walk.ts';

const DAY_MS = 86_400_000;

/** Reads that look at every selection of a key: seconds among millions, so they run in a thread of their own. */
export function surveyReads(connection: Connection) {
  const { statement, value, snapshot } = connection;
  const select = (columns: string, grouping: string): string =>
    `select ${columns}, count(*) as count from selections where app_id = ?1 and key_no = ?2 ${grouping}`;

  return {
    ...walkReads(connection),
    countByValue(appId: number, keyNo: number) {
      return statement<ValueRow>(select('value', 'group by value order by value')).all(appId, keyNo);
    },
    survey(appId: number, keyNo: number, { fromDay, byValue, most }: Parameters<SelectionStore['survey']>[2]) {
      return snapshot(() => {
        const users = value<number>('select count(*) as n from users where app_id = ?', appId);
        const column = byValue ? 'value' : 'null as value';
        const days = statement<KeySurvey['days'][number]>(
          select(`${column}, max(updated_at / ${DAY_MS}, ?3) as day`, 'group by 1, 2 order by 2, 1'),
        ).all(appId, keyNo, fromDay);
        const values = byValue
          ? []
          : statement<ValueRow & { different: number }>(
              `${select('value, count(*) over () as different', 'group by value order by 3 desc, 1')} limit ?3`,
            ).all(appId, keyNo, most);
        const common = values.map(({ value, count }) => ({ value, count }));
        return { users, days, common, different: values[0]?.different ?? 0 };
      });
    },
  };
}

export type SurveyReads = ReturnType<typeof surveyReads>;
/** What travels between the HTTP thread and the one that surveys. */
export type SurveyMessage = { id: number; name: keyof SurveyReads; args: unknown[] };
export type SurveyResult = { id: number } & ({ outcome: unknown } | { failed: string; damaged: boolean });
