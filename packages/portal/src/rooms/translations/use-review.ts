import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { notifyProblem } from '../../shell/notify.tsx';
import type { Sheet } from './sheet.ts';
import { defaultTag, type Language, sourceOf, stateOf } from './text-row.ts';

type Spot = { id: string; tag: string };
type Marking = { spots: Spot[]; reviewed: boolean };
export type Review = (wanted: readonly Spot[], how?: { mayWithdraw: boolean }) => void;

/** Maximum texts marked at once. */
const BATCH = 1000;

/** Marks texts as reviewed; if all of them already are, removes the mark unless told otherwise. */
export function useReview(clientId: string, sheet: Sheet, languages: readonly Language[]): Review {
  const { t } = useTranslation('translations');
  const { mutate, isPending } = useMutation({
    async mutationFn({ spots, reviewed }: Marking) {
      // A review covers what the service has.
      await sheet.settled();
      let [count, left] = [0, 0];
      for (let at = 0; at < spots.length; at += BATCH) {
        const batch = spots.slice(at, at + BATCH).flatMap(({ id, tag }) => {
          const row = sheet.row(id);
          const text = row?.texts[tag];
          return row && text !== undefined
            ? [{ id, path: row.path, language: tag, text, source: sourceOf(row, languages) }]
            : [];
        });
        const { data } = await api.post('/manage/v1/applications/{clientId}/catalog/translations/review', {
          path: { clientId },
          query: { draft: true },
          body: { texts: batch.map(({ id: _, ...text }) => text), reviewed },
        });
        const changed = new Set(data.changed.map(({ path, language }) => `${language} ${path}`));
        const done = batch.filter(({ path, language }) => !changed.has(`${language} ${path}`));
        sheet.setStates(
          done.map(({ id, language, text }) => ({ id, tag: language, text })),
          reviewed ? 'reviewed' : undefined,
        );
        count += data.count;
        left += changed.size;
      }
      return { count, left, reviewed };
    },
    onSuccess({ count, left, reviewed }) {
      const message = t(reviewed ? 'review.done' : 'review.withdrawn', { count });
      notifications.show({ message: left > 0 ? `${message} ${t('review.left', { count: left })}` : message });
    },
    onError: notifyProblem,
  });
  const isBusy = useRef(isPending);
  isBusy.current = isPending;
  return useCallback(
    (wanted, { mayWithdraw } = { mayWithdraw: true }) => {
      const from = defaultTag(languages);
      const byTag = new Map(languages.map((language) => [language.tag, language]));
      const found = wanted.flatMap((spot) => {
        const [row, language] = [sheet.row(spot.id), byTag.get(spot.tag)];
        if (!row || !language || language.isDefault || language.isLocked || row.texts[spot.tag] === undefined)
          return [];
        return [{ id: spot.id, tag: spot.tag, isReviewed: stateOf(row, language, from) === 'reviewed' }];
      });
      if (found.length === 0 || isBusy.current) return;
      const left = found.filter(({ isReviewed }) => !isReviewed);
      if (left.length > 0) mutate({ spots: left, reviewed: true });
      else if (mayWithdraw) mutate({ spots: found, reviewed: false });
    },
    [languages, sheet, mutate],
  );
}
