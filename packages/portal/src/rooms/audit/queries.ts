import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export type AuditEntry = OutputOf<'/manage/v1/applications/{clientId}/audit', 'get'>['items'][number];
export type AuditAction = AuditEntry['action'];
export type AuditFilter = { action: AuditAction | null; actor: string };

/** Of an application, or of the installation. */
export function auditQuery(clientId: string | null, { action, actor }: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...(clientId === null ? ['installation'] : ['application', clientId]), 'audit', action, actor],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: 50,
        ...(pageParam !== null && { after: pageParam }),
        ...(action !== null && { action }),
        ...(actor !== '' && { actor }),
      };
      const answer =
        clientId === null
          ? api.get('/manage/v1/audit', { query, signal })
          : api.get('/manage/v1/applications/{clientId}/audit', { path: { clientId }, query, signal });
      return (await answer).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  });
}
