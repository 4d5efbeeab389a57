import type { OutputOf } from '@innkeeper/client/manage';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';

/** The draft and its catalog: queries for every room that edits it. */

const TREE = '/manage/v1/applications/{clientId}/catalog/tree';
const DRAFT = '/manage/v1/applications/{clientId}/catalog/draft';

export type Tree = OutputOf<typeof TREE, 'get'>;
export type TreeGroup = Tree['groups'][number];
export type TreeKey = TreeGroup['keys'][number];
export type TreeLanguage = Tree['languages'][number];
export type DraftState = OutputOf<typeof DRAFT, 'get'>;
export type DraftEdit = NonNullable<DraftState['draft']>['edits'][number];
export type Change = DraftEdit['changes'][number] & { selections?: number };
export type Fact = NonNullable<Change['facts']>[number];

/** Everything that an edit changes is under this key. */
export const catalogKey = (clientId: string) => ['application', clientId, 'catalog'] as const;

/** With the ETag for the next edit. */
export function treeQuery(clientId: string) {
  return queryOptions({
    queryKey: [...catalogKey(clientId), 'tree'],
    queryFn: async ({ signal }) => {
      const { data, etag = '*' } = await api.get(TREE, { path: { clientId }, query: { draft: true }, signal });
      return { tree: data, etag };
    },
  });
}

/** How many changes there are, who made them, and what undo would undo. */
export function draftQuery(clientId: string) {
  return queryOptions({
    queryKey: [...catalogKey(clientId), 'draft'],
    queryFn: async ({ signal }) => (await api.get(DRAFT, { path: { clientId }, query: { plan: false }, signal })).data,
    refetchInterval: 15_000,
  });
}

/** The same with everything that publishing would change and break, counted now. */
export function planQuery(clientId: string) {
  return queryOptions({
    queryKey: [...catalogKey(clientId), 'plan'],
    queryFn: async ({ signal }) => (await api.get(DRAFT, { path: { clientId }, signal })).data,
    staleTime: 0,
    gcTime: 0,
  });
}
