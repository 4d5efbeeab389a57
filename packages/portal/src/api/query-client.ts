import { isInnkeeperError } from '@innkeeper/client/manage';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** What has to happen when the session has ended is set by whoever shows it: see shell/signed-out.tsx. */
const listeners = new Set<() => void>();
export function onSessionEnded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const watch = {
  onError(error: unknown) {
    if (isInnkeeperError(error) && error.status === 401) for (const listener of listeners) listener();
  },
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache(watch),
  mutationCache: new MutationCache(watch),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only what may be better the next time: a refusal stays one.
      retry: (count, error) => count < 2 && isInnkeeperError(error) && (error.status === 0 || error.status === 503),
    },
    mutations: { retry: false },
  },
});
