import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The selectable periods. */
export const SPANS = {
  days30: { period: 'day', last: 30 },
  days90: { period: 'day', last: 90 },
  weeks26: { period: 'week', last: 26 },
  weeks104: { period: 'week', last: 104 },
} as const;
export type Span = keyof typeof SPANS;

export function insightsQuery(clientId: string, keyUid: string, span: Span) {
  return queryOptions({
    queryKey: ['application', clientId, 'insights', keyUid, span],
    queryFn: async ({ signal }) => {
      const input = { path: { clientId, keyUid }, query: SPANS[span], signal };
      return (await api.get('/manage/v1/applications/{clientId}/keys/{keyUid}/insights', input)).data;
    },
    placeholderData: keepPreviousData,
  });
}

/** Of all keys. Among millions the counts take a while: until `counted` is 1, the response has the progress. */
export function allKeysQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'insights', 'all'],
    queryFn: async ({ signal }) => {
      const input = { path: { clientId }, query: { wait: 1 }, signal };
      return (await api.get('/manage/v1/applications/{clientId}/insights', input)).data;
    },
    refetchInterval: ({ state }) => (state.data && state.data.counted < 1 ? 100 : false),
  });
}

/** The period and the one before it, of the same length. */
export function comparisonQuery(clientId: string, keyUid: string, span: Span) {
  return queryOptions({
    queryKey: ['application', clientId, 'insights', keyUid, span, 'comparison'],
    queryFn: async ({ signal }) => {
      const { period, last } = SPANS[span];
      const input = { path: { clientId, keyUid }, query: { period, last: 2 * last }, signal };
      const { data } = await api.get('/manage/v1/applications/{clientId}/keys/{keyUid}/insights', input);
      return compare(data);
    },
    placeholderData: keepPreviousData,
  });
}

function compare({ keyUid, values, periods, at }: Insights) {
  const half = periods.length / 2;
  const [before, now] = [periods.slice(0, half), periods.slice(half)];
  const sum = (some: Insights['periods'], count: (period: Insights['periods'][number]) => number) =>
    some.reduce((total, period) => total + count(period), 0);
  // An open key has no counts by value and period.
  const isOpen = periods.every(({ counts }) => counts.length === 0);
  const whole = (some: Insights['periods'], end: string) => ({
    from: some[0]?.from ?? end,
    to: end,
    total: sum(some, ({ total }) => total),
  });
  const dayBefore = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  return {
    keyUid,
    before: whole(before, dayBefore(now[0]?.from ?? at.slice(0, 10))),
    now: whole(now, at.slice(0, 10)),
    values: (isOpen ? [] : values).map(({ value }, place) => ({
      value,
      before: sum(before, ({ counts }) => counts[place] ?? 0),
      now: sum(now, ({ counts }) => counts[place] ?? 0),
    })),
  };
}

export type Insights = Awaited<ReturnType<NonNullable<ReturnType<typeof insightsQuery>['queryFn']>>>;

export type KeyTotals = Awaited<ReturnType<NonNullable<ReturnType<typeof allKeysQuery>['queryFn']>>>['items'][number];

export async function loadCsv(clientId: string, keyUid: string, span: Span): Promise<string> {
  const input = { path: { clientId, keyUid }, query: SPANS[span] };
  return (await api.get('/manage/v1/applications/{clientId}/keys/{keyUid}/insights/csv', input)).data;
}
