import { useEffect, useRef } from 'react';

/** For an item that was just added: moves the focus to the first missing text. Only text fields have a language. */
export function useStart(isNew: boolean) {
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isNew) return;
    // After the dialog, which had the focus.
    const timer = setTimeout(() => {
      window.scrollTo({ top: 0 });
      const fields = [...(whole.current?.querySelectorAll<HTMLInputElement>('[data-fields] input') ?? [])];
      const isMissing = ({ lang, readOnly, value }: HTMLInputElement) => lang !== '' && !readOnly && value === '';
      const first = fields.find(isMissing) ?? fields[0];
      first?.focus({ preventScroll: true });
      // No scrolling if it is visible anyway: the top stays visible.
      first?.scrollIntoView({ block: 'nearest' });
    }, 50);
    return () => clearTimeout(timer);
  }, [isNew]);
  return whole;
}
