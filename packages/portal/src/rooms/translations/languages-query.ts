import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Language } from './text-row.ts';

/** In a file of its own: the router needs it before the room is loaded. */
export function languagesQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'translations', 'languages'],
    refetchOnMount: 'always',
    queryFn: async ({ signal }): Promise<Language[]> => {
      const { data } = await api.get('/manage/v1/applications/{clientId}/catalog/languages', {
        path: { clientId },
        query: { draft: true, limit: 200 },
        signal,
      });
      return data.items.map(({ name, tag, default: isDefault }) => ({ name, tag, isDefault }));
    },
  });
}
