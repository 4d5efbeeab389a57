import { useMutation } from '@tanstack/react-query';
import { api, PORTAL_PATH } from '../api/client.ts';
import { useMutateOnce } from './use-once.ts';

export function useSignOut({ signOutUrl }: { signOutUrl: string | null }): () => void {
  const signOut = useMutation({
    mutationFn: () => api.delete('/manage/v1/session'),
    // Loads a new page, so that nothing stays in memory.
    onSettled: () => location.assign(signOutUrl ?? `${PORTAL_PATH}/sign-in`),
  });
  return useMutateOnce(signOut);
}
