import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Repeats failed queries as soon as the obstacle is gone; the page stays as it is until then. */
export function useRetryQueries(isBlocked: boolean): void {
  const wasBlocked = useRef(false);
  const client = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    if (wasBlocked.current && !isBlocked) {
      void client.resetQueries({ predicate: ({ state }) => state.status === 'error' && state.data === undefined });
      void client.invalidateQueries();
      void router.invalidate();
    }
    wasBlocked.current = isBlocked;
  }, [isBlocked, client, router]);
}
