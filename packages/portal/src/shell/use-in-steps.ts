import { useDeferredValue } from 'react';

/** What fits on most screens. */
const IN_SIGHT = 15;

/** The items of a long list: first those that fit on the screen, then all of them, once the page can be used. */
export function useInSteps<T>(items: readonly T[]): readonly T[] {
  return useDeferredValue(items, items.slice(0, IN_SIGHT));
}
