import { useRef } from 'react';

/**
 * The second click of a double-click comes before the button is shown as busy: it does nothing until the first is done.
 */
export function useOnce<A extends unknown[], T>(
  act: (...given: A) => Promise<T>,
): (...given: A) => Promise<T | undefined> {
  const isBusy = useRef(false);
  return async (...given) => {
    if (isBusy.current) return undefined;
    isBusy.current = true;
    try {
      return await act(...given);
    } finally {
      isBusy.current = false;
    }
  };
}

type Mutation<V> = { mutateAsync(variables: V): Promise<unknown> };

/**
 * The same for mutations, which report their own errors. Different variables may be sent meanwhile: the next row of a
 * list need not wait for the one before.
 */
export function useMutateOnce<V = void>({ mutateAsync }: Mutation<V>): (variables: V) => void {
  const sent = useRef(new Set<string | undefined>());
  return (variables) => {
    const what = JSON.stringify(variables);
    if (sent.current.has(what)) return;
    sent.current.add(what);
    void mutateAsync(variables)
      .catch(() => undefined)
      .finally(() => sent.current.delete(what));
  };
}
