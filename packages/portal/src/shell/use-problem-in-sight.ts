import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { type RefObject, useEffect, useState } from 'react';

/** Call it when something could not be saved: scrolls to the first problem. */
export function useProblemInSight(whole: RefObject<HTMLElement | null>): () => void {
  const [failures, setFailures] = useState(0);
  // After the page has rendered the problem.
  useEffect(() => {
    if (failures === 0) return;
    const find = (what: string) => whole.current?.querySelector<HTMLElement>(what);
    const found = find('[aria-invalid=true]') ?? find('[data-problem]');
    // A conflict has a dialog of its own.
    if (!found) return;
    found.scrollIntoView({ block: 'center' });
    found.focus({ preventScroll: true });
    notifications.show({ color: 'red', message: i18next.t('notSaved') });
  }, [failures, whole]);
  return () => setFailures((count) => count + 1);
}
