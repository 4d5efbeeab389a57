import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { toCsv } from '../../shell/csv.ts';
import { download } from '../../shell/download.ts';
import { ExportButton } from '../../shell/export-button.tsx';
import { mostCommon, totalsQuery } from './queries.ts';

const HEAD = ['group', 'key', 'users', 'chose', 'neverChose', 'default', 'mostCommon', 'mostCommonUsers'];

/** A row for each key, loaded one after the other. */
export function AllKeysCsv({ clientId, keys }: { clientId: string; keys: readonly NamedKey[] }) {
  const { t } = useTranslation('insights');
  const queries = useQueryClient();
  return (
    <ExportButton
      label={t('csv')}
      progress={(done) => t('all.exporting', { done, count: keys.length })}
      run={async ({ signal, onProgress }) => {
        const rows: (string | number | null)[][] = [HEAD];
        for (const { keyUid, groupName, name } of keys) {
          signal.throwIfAborted();
          const insights = await queries.fetchQuery(totalsQuery(clientId, keyUid));
          const { users, chose, neverChose, defaultValue } = insights;
          const most = mostCommon(insights);
          const ofMost = most ? [written(most.value), most.count] : [null, null];
          rows.push([groupName, name, users, chose, neverChose, written(defaultValue), ...ofMost]);
          onProgress(rows.length - 1);
        }
        download('insights.csv', 'text/csv;charset=utf-8', `\uFEFF${toCsv(rows)}`);
      }}
    />
  );
}

function written(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
