import { useEffect, useRef } from 'react';

/** What was added a moment ago is begun at its top, in the first text that is still missing; only texts say their language. */
export function useStart(isNew: boolean) {
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isNew) return;
    // After the dialogue, which had the focus.
    const timer = setTimeout(() => {
      window.scrollTo({ top: 0 });
      const fields = [...(whole.current?.querySelectorAll<HTMLInputElement>('[data-fields] input') ?? [])];
      const isMissing = ({ lang, readOnly, value }: HTMLInputElement) => lang !== '' && !readOnly && value === '';
      const first = fields.find(isMissing) ?? fields[0];
      first?.focus({ preventScroll: true });
      // Not at all where there is room: the top stays in sight.
      first?.scrollIntoView({ block: 'nearest' });
    }, 50);
    return () => clearTimeout(timer);
  }, [isNew]);
  return whole;
}
