import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** What had failed is asked for again as soon as nothing is in the way any more; what is shown stays until the answer. */
export function useAskAgain(isHindered: boolean): void {
  const wasHindered = useRef(false);
  const client = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    if (wasHindered.current && !isHindered) {
      void client.resetQueries({ predicate: ({ state }) => state.status === 'error' && state.data === undefined });
      void client.invalidateQueries();
      void router.invalidate();
    }
    wasHindered.current = isHindered;
  }, [isHindered, client, router]);
}
