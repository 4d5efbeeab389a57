import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { toCsv } from '../../shell/csv.ts';
import { download } from '../../shell/download.ts';
import { tellProblem } from '../../shell/told.tsx';
import { insightsQuery, mostCommon, type Span } from './queries.ts';

const HEAD = ['group', 'key', 'users', 'chose', 'neverChose', 'default', 'mostCommon', 'mostCommonUsers'];

/** A row for each key, asked for one after the other. */
export function AllKeysCsv({ clientId, keys, span }: { clientId: string; keys: readonly NamedKey[]; span: Span }) {
  const { t } = useTranslation('insights');
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const exporting = useMutation({
    async mutationFn() {
      control.current = new AbortController();
      const { signal } = control.current;
      const rows: (string | number | null)[][] = [HEAD];
      for (const { keyUid, groupName, name } of keys) {
        signal.throwIfAborted();
        const insights = await queries.fetchQuery(insightsQuery(clientId, keyUid, span));
        const { users, chose, neverChose, defaultValue } = insights;
        const most = mostCommon(insights);
        const ofMost = most ? [written(most.value), most.count] : [null, null];
        rows.push([groupName, name, users, chose, neverChose, written(defaultValue), ...ofMost]);
        setDone(rows.length - 1);
      }
      download('insights.csv', 'text/csv;charset=utf-8', `\uFEFF${toCsv(rows)}`);
    },
    onError: (error) => {
      if (!control.current?.signal.aborted) tellProblem(error);
    },
    onSettled: () => setDone(0),
  });
  if (exporting.isPending) {
    return (
      <Button variant="default" onClick={() => control.current?.abort()}>
        {t('all.exporting', { done, count: keys.length })}
      </Button>
    );
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => exporting.mutate()}>
      {t('csv')}
    </Button>
  );
}

function written(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
