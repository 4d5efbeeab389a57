import { useMutation } from '@tanstack/react-query';
import { api, PORTAL_PATH } from '../api/client.ts';
import { isSignedOut } from '../api/query-client.ts';
import { notifyProblem } from './notify.tsx';
import { useMutateOnce } from './use-once.ts';

export function useSignOut({ signOutUrl }: { signOutUrl: string | null }): () => void {
  // Loads a new page, so that nothing stays in memory.
  const leave = () => location.assign(signOutUrl ?? `${PORTAL_PATH}/sign-in`);
  const signOut = useMutation({
    mutationFn: () => api.delete('/manage/v1/session'),
    onSuccess: leave,
    onError: (error) => (isSignedOut(error) ? leave() : notifyProblem(error)),
  });
  return useMutateOnce(signOut);
}
