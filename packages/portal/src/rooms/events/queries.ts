import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { EventType } from './event-types.ts';

export type ApplicationEvent = OutputOf<'/manage/v1/applications/{clientId}/events', 'get'>['items'][number];

type EventFilter = { type?: EventType; userUid?: string };

export function eventsQuery(clientId: string, filter: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'events', filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, limit: 50, ...(pageParam !== null && { after: pageParam }) };
      return (await api.get('/manage/v1/applications/{clientId}/events', { path: { clientId }, query, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });
}
