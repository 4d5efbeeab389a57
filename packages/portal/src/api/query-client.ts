import { isInnkeeperError } from '@innkeeper/client/manage';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isUnreachable, waitForService } from './connection.ts';
import { Flag } from './flag.ts';

/** Whether the last response said that no one is signed in. */
const hasEnded = new Flag();
export const useHasSessionEnded = hasEnded.use;

/** Only for signed-in pages: on entrance pages the error means something else. */
export function isSignedOut(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 401;
}

const watch = {
  // Someone has signed in again, perhaps in another tab.
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
      // Only errors that may go away: a refusal stays one, and unreachable requests are repeated when the service
      // responds again.
      retry: (count, error) => count < 2 && isInnkeeperError(error) && error.status === 503,
      // A browser that claims to be offline may be wrong, and would leave pages loading forever.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
