import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export function membersQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'members'],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}/members', { path: { clientId }, signal })).data,
  });
}

export function invitationsQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'members', 'invitations'],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}/invitations', { path: { clientId }, signal })).data.items,
  });
}
