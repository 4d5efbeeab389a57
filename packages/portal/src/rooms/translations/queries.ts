import { isInnkeeperError } from '@innkeeper/client/manage';
import { MutationObserver, queryOptions } from '@tanstack/react-query';
import { api, SERVICE_URL } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { catalogKey } from '../../draft/queries.ts';
import type { SendOutcome, Sheet } from './sheet.ts';
import type { SentText } from './sheet-state.ts';
import { type TextRow, toRow } from './text-row.ts';

const TEXTS = '/manage/v1/applications/{clientId}/catalog/translations';

/** One screen first, then the rest. */
const FIRST = 200;
const MORE = 5_000;

const textsKey = (clientId: string) => ['application', clientId, 'translations', 'texts'] as const;

/** Fills the sheet. Unsaved texts stay in it. */
export function textsQuery(clientId: string, sheet: Sheet) {
  return queryOptions({
    queryKey: textsKey(clientId),
    // The source texts may just have changed in the catalog.
    refetchOnMount: 'always',
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<{ etag: string | undefined }> => {
      for (;;) {
        sheet.startLoading();
        const loaded = await loadTexts(clientId, signal, (rows) => {
          if (sheet.state.rows.length === 0) sheet.load(rows, { isComplete: false });
        });
        // Someone changed it between two pages: start over.
        if (!loaded) continue;
        sheet.load(loaded.rows, { isComplete: true });
        return { etag: loaded.etag };
      }
    },
  });
}

async function loadTexts(
  clientId: string,
  signal: AbortSignal,
  onFirst: (rows: TextRow[]) => void,
): Promise<{ rows: TextRow[]; etag: string | undefined } | undefined> {
  const rows: TextRow[] = [];
  let etag: string | undefined;
  for (let limit = FIRST; ; limit = MORE) {
    const query = { draft: true, offset: rows.length, limit };
    const page = await api.get(TEXTS, { path: { clientId }, query, signal });
    etag ??= page.etag;
    if (page.etag !== etag) return undefined;
    for (const item of page.data.items) rows.push(toRow(item));
    if (rows.length >= page.data.total || page.data.items.length === 0) return { rows, etag };
    if (rows.length === FIRST) onFirst(rows);
  }
}

/** Sends texts so that each replaces only the one it is meant to replace. */
export function textSender(clientId: string): (texts: SentText[]) => Promise<SendOutcome> {
  const observer = new MutationObserver(queryClient, {
    mutationFn: (texts: SentText[]) =>
      api.patch(TEXTS, {
        path: { clientId },
        query: { draft: true },
        ifMatch: '*',
        body: { texts: texts.map(({ path, tag, text, was }) => ({ path, language: tag, text, was })) },
      }),
  });
  return async (texts) => {
    try {
      await observer.mutate(texts);
      // Other rooms now have an outdated draft. It is reloaded when typing stops.
      void queryClient.invalidateQueries({ queryKey: catalogKey(clientId), refetchType: 'none' });
      return { outcome: 'saved' };
    } catch (error) {
      // An item may have another name by now.
      if (isInnkeeperError(error) && error.errors.some(({ field }) => /^texts\[\d+\]\.path$/.test(field))) {
        void queryClient.invalidateQueries({ queryKey: textsKey(clientId) });
      }
      return readRefusal(error, texts);
    }
  };
}

type ChangedText = { path: string; language: string; text: string | null };

function readRefusal(error: unknown, sent: readonly SentText[]): SendOutcome {
  if (!isInnkeeperError(error)) return { outcome: 'failed', error, again: true };
  const changed = error.body.texts as ChangedText[] | undefined;
  if (error.status === 412 && changed && changed.length > 0) {
    const ids = new Map(sent.map(({ id, path }) => [path, id]));
    const texts = changed.map(({ path, language, text }) => ({ id: ids.get(path) ?? '', tag: language, text }));
    return { outcome: 'changed', texts };
  }
  if (error.status === 422) {
    const problems = error.errors.map(({ field, message }) => {
      const [, index] = /^texts\[(\d+)\]/.exec(field) ?? [];
      return { index: index === undefined ? undefined : Number(index), message };
    });
    return {
      outcome: 'refused',
      problems: problems.length > 0 ? problems : [{ index: undefined, message: error.message }],
    };
  }
  return { outcome: 'failed', error, again: ![400, 403, 404, 413].includes(error.status) };
}

/** The URL from which the browser downloads a file for translators. */
export function exportAddress(clientId: string, query: { format: 'csv' | 'xliff'; language?: string }): string {
  const parameters = new URLSearchParams({ draft: 'true', format: query.format });
  if (query.language !== undefined) parameters.set('language', query.language);
  return `${SERVICE_URL}/manage/v1/applications/${encodeURIComponent(clientId)}/catalog/translations/export?${parameters}`;
}
