import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await api.get('/manage/v1/account/sessions', { signal })).data.items,
});

export const tokensQuery = queryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: async ({ signal }) => (await api.get('/manage/v1/account/tokens', { signal })).data.items,
});
