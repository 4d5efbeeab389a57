import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The selectable ranges: hours are kept for a week, days for more than a year. */
export const RANGES = {
  day: { step: 'hour', steps: 24 },
  week: { step: 'hour', steps: 168 },
  month: { step: 'day', steps: 30 },
  year: { step: 'day', steps: 365 },
} as const;
export type Range = keyof typeof RANGES;

export function overviewQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'overview', 'now'],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}/overview', { path: { clientId }, signal })).data,
    // The next step may just have been done in another room.
    staleTime: 0,
    refetchInterval: 30_000,
  });
}

export function activityQuery(clientId: string, range: Range) {
  return queryOptions({
    queryKey: ['application', clientId, 'overview', 'activity', range],
    queryFn: async ({ signal }) => {
      const { step, steps } = RANGES[range];
      const length = step === 'hour' ? 3_600_000 : 86_400_000;
      const from = new Date(Date.now() - (steps - 1) * length).toISOString().slice(0, 19).replace('T', ' ');
      const query = { step, from } as const;
      return (await api.get('/manage/v1/applications/{clientId}/activity', { path: { clientId }, query, signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}
