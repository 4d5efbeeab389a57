import { useEffect, useState } from 'react';
import { Flag } from '../../api/flag.ts';

/** Which of the two is open: anything may open them, the frame shows them. */
export const palette = new Flag();
export const shortcuts = new Flag();

/** Whether a dialog that is loaded when it is wanted is open: never from the start, as it gives the focus back only to what had it before it opened. */
export function useOpened(flag: Flag): boolean {
  const isSet = flag.use();
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  return isThere && isSet;
}

export const COMMAND = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Ctrl+K anywhere; `/` and `?` wherever nobody is typing. Not over a dialog, which has something to be finished. */
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
