import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { toCsv } from '../../shell/csv.ts';
import { download } from '../../shell/download.ts';
import { ExportButton } from '../../shell/export-button.tsx';
import { allKeysQuery } from './queries.ts';

const HEAD = ['group', 'key', 'users', 'chose', 'neverChose', 'default', 'mostCommon', 'mostCommonUsers'];

/** A row for each key. */
export function AllKeysCsv({ clientId, keys }: { clientId: string; keys: readonly NamedKey[] }) {
  const { t } = useTranslation('insights');
  const queries = useQueryClient();
  return (
    <ExportButton
      label={t('csv')}
      progress={(share) => t('all.exporting', { share })}
      run={async ({ signal, onProgress }) => {
        const load = () => queries.fetchQuery({ ...allKeysQuery(clientId), staleTime: 0 });
        let all = await load();
        while (all.counted < 1) {
          signal.throwIfAborted();
          onProgress(all.counted);
          all = await load();
        }
        const totals = new Map(all.items.map((item) => [item.keyUid, item]));
        const rows: (string | number | null)[][] = [HEAD];
        for (const { keyUid, groupName, name } of keys) {
          const { chose, neverChose, defaultValue, mostCommon } = totals.get(keyUid) ?? {};
          const ofMost = mostCommon ? [written(mostCommon.value), mostCommon.count] : [null, null];
          const counts = [all.users, chose ?? 0, neverChose ?? all.users];
          rows.push([groupName, name, ...counts, written(defaultValue ?? null), ...ofMost]);
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
