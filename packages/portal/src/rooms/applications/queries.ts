import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const PAGE = 200;

/** All of them, however many pages that takes: one looks for an application by a part of its name. */
export const allApplicationsQuery = queryOptions({
  queryKey: ['applications', 'all'],
  queryFn: async ({ signal }) => {
    const read = async (offset: number) =>
      (await api.get('/manage/v1/applications', { query: { offset, limit: PAGE }, signal })).data;
    const { items, total } = await read(0);
    for (let offset = PAGE; offset < total; offset += PAGE) items.push(...(await read(offset)).items);
    return items;
  },
});
