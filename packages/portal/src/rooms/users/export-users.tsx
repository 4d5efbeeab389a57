import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { downloadParts } from '../../shell/download.ts';
import { ExportButton } from '../../shell/export-button.tsx';
import { type Filters, filterQuery } from './filters.ts';

/** The listed users with their selections, in the format of `users import`. */
export function ExportUsers({ clientId, filters }: { clientId: string; filters: Filters }) {
  const { t } = useTranslation('users');
  return (
    <ExportButton
      label={t('filter.export')}
      progress={(count) => t('filter.exporting', { count })}
      run={async ({ signal, onProgress }) => {
        const { sort: _, ...query } = filterQuery(filters);
        const parts: string[] = [];
        let users = 0;
        for (let after: string | null = ''; after !== null; ) {
          const place: { after?: string } = after === '' ? {} : { after };
          const input = { path: { clientId }, query: { ...query, ...place }, signal };
          const { data } = await api.get('/manage/v1/applications/{clientId}/users/export', input);
          parts.push(data.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
          users += data.users;
          onProgress(users);
          after = data.next;
        }
        downloadParts('users.ndjson', 'application/x-ndjson', parts);
      }}
    />
  );
}
