import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

/** Editors with something typed that is not in the draft yet. */
const unsaved = new Set<string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks before leaving unsaved input, and warns before publishing without it. */
export function useUnsaved(isUnsaved: boolean): void {
  const { t } = useTranslation('catalog');
  const id = useId();
  useBlocker({
    shouldBlockFn: () => isUnsaved && !window.confirm(t('leave')),
    enableBeforeUnload: () => isUnsaved,
  });
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

export function useHasUnsaved(): boolean {
  return useSyncExternalStore(subscribe, () => unsaved.size > 0);
}
