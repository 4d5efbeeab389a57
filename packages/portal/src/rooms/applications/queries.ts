import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const PAGE = 200;

/** All of them, over as many pages as needed: people search by a part of the name. */
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
