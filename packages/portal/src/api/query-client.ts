import { isInnkeeperError } from '@innkeeper/client/manage';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isUnreachable, waitForService } from './connection.ts';
import { Flag } from './flag.ts';

/** Whether the last answer said that nobody is signed in. */
const hasEnded = new Flag();
export const useHasSessionEnded = hasEnded.use;

/** Where somebody is signed in: a page of the entrance means something else by it. */
export function isSignedOut(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 401;
}

const watch = {
  // Somebody has signed in again, perhaps in another tab.
  onSuccess: () => hasEnded.set(false),
  onError(error: unknown) {
    if (isSignedOut(error)) hasEnded.set(true);
    if (isUnreachable(error)) void waitForService();
  },
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache(watch),
  mutationCache: new MutationCache(watch),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only what may be better the next time: a refusal stays one, and what nobody answered is asked again when somebody does.
      retry: (count, error) => count < 2 && isInnkeeperError(error) && error.status === 503,
      // A browser that calls itself offline may be wrong, and would leave pages loading for ever.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
