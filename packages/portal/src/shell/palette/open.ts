import { useEffect, useState } from 'react';
import { Flag } from '../../api/flag.ts';

/** Which of the two is open: any code may open them, the frame shows them. */
export const palette = new Flag();
export const shortcuts = new Flag();

/**
 * Whether a lazy dialog is open: never on its first render, because it returns the focus only to what had it before it
 * opened.
 */
export function useOpened(flag: Flag): boolean {
  const isSet = flag.use();
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  return isThere && isSet;
}

export const COMMAND = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Ctrl+K anywhere; `/` and `?` unless someone is typing. Not over a dialog, which has to be finished first. */
export function usePaletteKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('[role=dialog]')) return;
      const opened = flagOf(event);
      if (!opened) return;
      event.preventDefault();
      opened.set(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function flagOf({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): Flag | undefined {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return palette;
  const isTyping = target instanceof HTMLElement && target.closest('input, textarea, select, [role=grid]');
  if (ctrlKey || metaKey || isTyping) return undefined;
  if (key === '/') return palette;
  return key === '?' ? shortcuts : undefined;
}
