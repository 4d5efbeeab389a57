import { useQuery } from '@tanstack/react-query';
import { memo, useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { EndDraft, NotPublished } from '../../draft/end-draft.tsx';
import { draftQuery } from '../../draft/queries.ts';
import type { Sheet } from './sheet.ts';

const SETTLED = 700;

/** Publishes the draft, or discards it. First waits for texts that are on their way to it. */
export const PublishTexts = memo(function PublishTexts(props: {
  clientId: string;
  sheet: Sheet;
  unsaved: number;
  loads: number;
}) {
  const { clientId, sheet, unsaved, loads } = props;
  const { t } = useTranslation('translations');
  const { data, refetch } = useQuery(draftQuery(clientId));
  const isSettled = unsaved === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when rows were loaded
  useEffect(() => {
    if (!isSettled) return;
    // Not after every text: someone is typing the next one.
    const timer = setTimeout(() => void refetch(), SETTLED);
    return () => clearTimeout(timer);
  }, [isSettled, loads, refetch]);
  const settle = useCallback(async () => {
    await sheet.settled();
    await refetch();
  }, [sheet, refetch]);
  return (
    <EndDraft
      clientId={clientId}
      draft={data?.draft}
      withCount
      settle={settle}
      notice={unsaved > 0 && <NotPublished>{t('notInDraft', { count: unsaved })}</NotPublished>}
    />
  );
});
