import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** What can be looked at over time. */
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

export type Insights = Awaited<ReturnType<NonNullable<ReturnType<typeof insightsQuery>['queryFn']>>>;

/** Undefined while nobody chose. */
export function mostCommon({ values, chose }: Insights): Insights['values'][number] | undefined {
  return chose === 0 ? undefined : values.toSorted((a, b) => b.count - a.count)[0];
}

export async function loadCsv(clientId: string, keyUid: string, span: Span): Promise<string> {
  const input = { path: { clientId, keyUid }, query: SPANS[span] };
  return (await api.get('/manage/v1/applications/{clientId}/keys/{keyUid}/insights/csv', input)).data;
}
