import { takePage } from '../../page-bytes.ts';
import { audit } from '../common/activity-and-audit.ts';
import { deliveries, webhooks } from '../common/webhooks.ts';
import { toValuePage, WALK_ROWS } from '../pages.ts';
import type {
  AuditStore,
  DeliveryStore,
  KeySurvey,
  ListedCounts,
  ListedKey,
  SelectionStore,
  ValuePage,
  ValueRow,
  WebhookStore,
} from '../port.ts';
import { queryOn } from './common.ts';
import type { Connection } from './connection.ts';
import { selectionReads } from './selections.ts';
import { walkReads } from './user-walk.ts';

const DAY_MS = 86_400_000;

const select = (columns: string, grouping: string): string =>
  `select ${columns}, count(*) as count from selections where app_id = ?1 and key_no = ?2 ${grouping}`;

const PAGE = select('value', `and value > ?3 group by value order by value limit ${WALK_ROWS}`);

/** Each value of `held` separately, as JSON.stringify writes it; a fraction as it is written there. */
const SCALARS = `
  select value as scalar, day, count from held where value not like '[%'
  union all
  select case each.type when 'text' then json_quote(each.value) when 'real' then held.value -> each.fullkey
    when 'integer' then cast(each.value as text) else each.type end, day, count
  from held, json_each(held.value) each where held.value like '[%'`;

/** Of each value that is listed (?3, JSON), and of the most common others; `different`: how many others there are. */
const OF_ALL = `
  with held as materialized (${select('value, 0 as day', 'group by value')}), scalars as (${SCALARS}),
    counted as (
      select scalar, sum(count) as count, scalar in (select value from json_each(?3)) as listed from scalars group by scalar
    ), ranked as (
      select *, row_number() over (partition by listed order by count desc, scalar) as place,
        count(*) over (partition by listed) as different
      from counted
    )
  select scalar as value, count, listed, different from ranked where listed or place <= ?4 order by place`;
type OfAll = ValueRow & { listed: number; different: number };

const LISTED = `
  with held as materialized (${select('value, 0 as day', 'group by value')}), scalars as (${SCALARS})
  select scalar as value, sum(count) as count from scalars where scalar in (select value from json_each(?3)) group by scalar`;

const MOST_COMMON = `
  ${select('value, 0 as listed, count(*) over () as different', 'group by value order by count desc, value')} limit ?3`;
const CHOSE = 'select count(*) as n from selections where app_id = ? and key_no = ?';

/** By period since a day (?3), of these values (?5, JSON). Sorting reads only recent rows, five times as fast as in the order of the index. */
const RECENT = `
  with held as materialized (
    ${select(`value, ?3 + cast((updated_at / ${DAY_MS} - ?3) / ?4 as integer) * ?4 as day`, `and updated_at >= ?3 * ${DAY_MS} group by 1, 2`)}
  ), scalars as (${SCALARS})
  select null as value, day, sum(count) as count from held group by day
  union all
  select scalar, day, sum(count) from scalars where scalar in (select value from json_each(?5)) group by 1, 2
  order by 2`;
type RecentRow = { value: string | null; day: number; count: number };

/** Reads of every selection of a key, or of a whole audit: seconds among millions, so they run in their own thread. */
export function surveyReads(connection: Connection) {
  const { statement, value, snapshot } = connection;
  return {
    ...walkReads(connection),
    listAudit: (...args: Parameters<AuditStore['list']>) => audit.reads.list(queryOn(connection), ...args),
    listDeliveries: (...args: Parameters<DeliveryStore['list']>) => deliveries.reads.list(queryOn(connection), ...args),
    webhookHealth: (...args: Parameters<WebhookStore['health']>) => webhooks.reads.health(queryOn(connection), ...args),
    listHistory: selectionReads(connection).history,
    countByValue(appId: number, keyNo: number, after: string | null): ValuePage {
      const found = statement<ValueRow>(PAGE).iterate(appId, keyNo, after ?? '');
      return toValuePage(takePage(found, (row) => row.value.length));
    },
    countListedOf(appId: number, keyNo: number, listed: readonly string[]): ListedCounts {
      return snapshot(() => {
        const total = value<number>(CHOSE, appId, keyNo);
        if (total === 0 || listed.length === 0) return { total, counts: listed.map(() => 0) };
        const rows = statement<ValueRow>(LISTED).all(appId, keyNo, JSON.stringify(listed));
        const counts = new Map(rows.map((row) => [row.value, row.count]));
        return { total, counts: listed.map((each) => counts.get(each) ?? 0) };
      });
    },
    survey(appId: number, keyNo: number, { fromDay, days, listed, most }: Parameters<SelectionStore['survey']>[2]) {
      return snapshot((): KeySurvey => {
        const users = value<number>('select count(*) as n from users where app_id = ?', appId);
        const total = value<number>(CHOSE, appId, keyNo);
        const found = listed
          ? statement<OfAll>(OF_ALL).all(appId, keyNo, JSON.stringify(listed), most)
          : statement<OfAll>(MOST_COMMON).all(appId, keyNo, most);
        const others = found.filter((row) => row.listed === 0);
        const common = others.map(({ value, count }) => ({ value, count }));
        const counted = listed ? [...listed, ...common.map(({ value }) => value)] : [];
        const places = new Map(counted.map((value, place) => [value, place]));
        const periods = new Map<number, KeySurvey['periods'][number]>();
        const at = (day: number) => {
          const period = periods.get(day) ?? { day, total: 0, counts: counted.map(() => 0) };
          periods.set(day, period);
          return period;
        };
        const earlier = at(fromDay === null ? 0 : fromDay - 1);
        const add = (period: typeof earlier, value: string | null, count: number): void => {
          const place = value === null ? undefined : places.get(value);
          if (place === undefined) period.total += count;
          else period.counts[place] = (period.counts[place] ?? 0) + count;
        };
        add(earlier, null, total);
        if (listed) for (const { value, count } of found) add(earlier, value, count);
        if (fromDay !== null) {
          const recent = statement<RecentRow>(RECENT).iterate(appId, keyNo, fromDay, days, JSON.stringify(counted));
          for (const { value, day, count } of recent) {
            add(at(day), value, count);
            add(earlier, value, -count);
          }
        }
        if (earlier.total === 0) periods.delete(earlier.day);
        return { users, periods: [...periods.values()], common, different: others[0]?.different ?? 0 };
      });
    },
  };
}

export type Survey = <Name extends keyof SurveyReads>(
  name: Name,
  ...args: Parameters<SurveyReads[Name]>
) => Promise<Awaited<ReturnType<SurveyReads[Name]>>>;

/** One key after another: an index has its values in order, and readers who leave stop the rest. */
export async function countListed(
  survey: Survey,
  appId: number,
  keys: readonly ListedKey[],
  { onProgress, signal }: Parameters<SelectionStore['countListed']>[2],
): Promise<ListedCounts[]> {
  const counted: ListedCounts[] = [];
  for (const { keyNo, listed } of keys) {
    signal.throwIfAborted();
    counted.push(await survey('countListedOf', appId, keyNo, listed));
    onProgress(counted.length / keys.length);
  }
  return counted;
}

export type SurveyReads = ReturnType<typeof surveyReads>;
/** Messages between the HTTP thread and the survey thread. */
export type SurveyMessage = { id: number; name: keyof SurveyReads; args: unknown[] };
export type SurveyResult = { id: number } & ({ outcome: unknown } | { failed: string; damaged: boolean });
