import { useEffect, useId, useSyncExternalStore } from 'react';

/** Forms with unsaved input. */
const unsaved = new Set<string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** AskBeforeLeaving then asks, and publishing warns that the input is not part of it. */
export function useUnsaved(isUnsaved: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved.add(id);
    for (const listener of listeners) listener();
    return () => {
      unsaved.delete(id);
      for (const listener of listeners) listener();
    };
  }, [id, isUnsaved]);
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

export function useHasUnsaved(): boolean {
  return useSyncExternalStore(subscribe, hasUnsaved);
}
