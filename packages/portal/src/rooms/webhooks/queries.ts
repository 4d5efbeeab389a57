import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export type Webhook = OutputOf<'/manage/v1/applications/{clientId}/webhooks', 'get'>['items'][number];
/** Its receiver does not accept deliveries, or has failed for so long that the service switched it off. */
export function isFailing({ offReason, failingSince }: Webhook): boolean {
  return offReason === null ? failingSince !== null : offReason !== 'manual';
}

export type Delivery = OutputOf<
  '/manage/v1/applications/{clientId}/webhooks/{webhookId}/deliveries',
  'get'
>['items'][number];

export function webhooksQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'webhooks'],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}/webhooks', { path: { clientId }, signal })).data.items,
    refetchInterval: 5000,
  });
}

export function deliveriesQuery(clientId: string, webhookId: string) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'webhooks', webhookId, 'deliveries'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 50, ...(pageParam !== null && { after: pageParam }) };
      const path = { clientId, webhookId };
      const address = '/manage/v1/applications/{clientId}/webhooks/{webhookId}/deliveries';
      return (await api.get(address, { path, query, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    refetchInterval: 3000,
  });
}

export function deliveryQuery(clientId: string, webhookId: string, deliveryId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'webhooks', webhookId, 'deliveries', deliveryId],
    queryFn: async ({ signal }) => {
      const path = { clientId, webhookId, deliveryId };
      const address = '/manage/v1/applications/{clientId}/webhooks/{webhookId}/deliveries/{deliveryId}';
      return (await api.get(address, { path, signal })).data;
    },
  });
}
