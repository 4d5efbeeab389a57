import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../../api/queries.ts';

/** Redirects a signed-in person. True until it is known that no one is signed in. */
export function useRedirectSignedIn(enter: () => void): boolean {
  const session = useQuery({ ...sessionQuery, retry: false, retryOnMount: false });
  const isIn = session.isSuccess;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once they are known to be signed in
  useEffect(() => {
    if (isIn) enter();
  }, [isIn]);
  return isIn || session.isPending;
}
