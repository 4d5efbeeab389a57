import { isInnkeeperError } from '@innkeeper/client/manage';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { notifyProblem } from '../shell/notify.tsx';
import { catalogKey, type Tree, treeQuery } from './queries.ts';

/** An edit of the draft: takes the ETag it is based on, and returns the next one. */
export type Edit<T> = (etag: string) => Promise<{ data: T; etag: string | undefined }>;

type EditRequest<T> = {
  edit: Edit<T>;
  /** The expected tree: shown immediately, and rolled back if the service refuses. */
  foresee?: (tree: Tree) => Tree;
};

export function isConflict(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 412;
}

const mutationKeyOf = (clientId: string) => ['draft', clientId];

/**
 * Edits of one draft run one after another, each with the ETag of the previous one, so that quick edits do not conflict
 * with each other.
 */
export function useEdit<T>(clientId: string) {
  const queries = useQueryClient();
  const { queryKey } = treeQuery(clientId);
  const mutationKey = mutationKeyOf(clientId);
  return useMutation({
    mutationKey,
    scope: { id: `draft ${clientId}` },
    async mutationFn({ edit }: EditRequest<T>) {
      const { data, etag } = await edit(queries.getQueryData(queryKey)?.etag ?? '*');
      if (etag !== undefined) queries.setQueryData(queryKey, (held) => held && { ...held, etag });
      return data;
    },
    async onMutate({ foresee }) {
      if (!foresee) return;
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, (held) => held && { ...held, tree: foresee(held.tree) });
    },
    // Load the service's tree, whether the edit succeeded or not; but not while another is in flight, which it would
    // hide.
    onSettled: () =>
      queries.isMutating({ mutationKey }) > 1
        ? undefined
        : queries.invalidateQueries({ queryKey: catalogKey(clientId) }),
  });
}

/** Resolves when no edit is in flight and the resulting draft is known. */
export async function editsDone(queries: QueryClient, clientId: string): Promise<void> {
  while (queries.isMutating({ mutationKey: mutationKeyOf(clientId) }) > 0) {
    await new Promise<void>((resolve) => {
      const stop = queries.getMutationCache().subscribe(() => {
        stop();
        resolve();
      });
    });
  }
}

/** For edits without typed input: if someone else was faster, says so and shows the current state. */
export function useNotifyConflict() {
  const { t } = useTranslation('catalog');
  return (error: unknown) => {
    if (isConflict(error)) notifications.show({ color: 'yellow', message: t('conflict.refreshed'), autoClose: 8_000 });
    else notifyProblem(error);
  };
}
