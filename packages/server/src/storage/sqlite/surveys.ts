import type { KeySurvey, SelectionStore, ValueRow } from '../port.ts';
import type { Connection } from './connection.ts';
import { walkReads } from './user-walk.ts';

const DAY_MS = 86_400_000;

/** Reads of every selection of a key: seconds among millions, so they run in their own thread. */
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
        type Row = KeySurvey['days'][number];
        const all = statement<Row>(select(column, 'group by 1 order by 1')).all(appId, keyNo);
        // Sorted by day, although the index is ordered by value: reads only recent rows, five times as fast.
        const recent =
          fromDay === null
            ? []
            : statement<Row>(
                select(`${column}, updated_at / ${DAY_MS} as day`, 'and updated_at >= ?3 group by 1, 2 order by 2, 1'),
              ).all(appId, keyNo, (fromDay + 1) * DAY_MS);
        const later = new Map<string | null, number>();
        for (const { value, count } of recent) later.set(value, count + (later.get(value) ?? 0));
        const earlier = all.map(({ value, count }) => ({
          ...{ value, day: fromDay ?? 0 },
          count: count - (later.get(value) ?? 0),
        }));
        const days = [...earlier.filter(({ count }) => count > 0), ...recent];
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
/** Messages between the HTTP thread and the survey thread. */
export type SurveyMessage = { id: number; name: keyof SurveyReads; args: unknown[] };
export type SurveyResult = { id: number } & ({ outcome: unknown } | { failed: string; damaged: boolean });
