import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import { api } from '../../api/client.ts';
import { downloadParts } from '../../shell/download.ts';
import { ExportButton } from '../../shell/export-button.tsx';
import { type Filters, filterQuery } from './filters.ts';
import { createUsersTable } from './users-table.ts';

type Options = { signal: AbortSignal; onProgress(done: number): void };

/** The listed users with their selections: a table, or the format of `users import`. */
export function ExportUsers({ clientId, filters }: { clientId: string; filters: Filters }) {
  const { t, i18n } = useTranslation('users');
  const queries = useQueryClient();
  const readAll = async ({ signal, onProgress }: Options, take: (lines: Record<string, unknown>[]) => void) => {
    const { sort: _, ...query } = filterQuery(filters);
    let users = 0;
    for (let after: string | null = ''; after !== null; ) {
      const place: { after?: string } = after === '' ? {} : { after };
      const input = { path: { clientId }, query: { ...query, ...place }, signal };
      const { data } = await api.get('/manage/v1/applications/{clientId}/users/export', input);
      take(data.lines);
      users += data.users;
      onProgress(users);
      after = data.next;
    }
    notifications.show({ message: t('bulk.exportDone', { count: users }) });
  };
  const exportTable = async (options: Options) => {
    const table = createUsersTable(nameCatalog(await queries.fetchQuery(catalogTreeQuery(clientId)), i18n));
    await readAll(options, (lines) => lines.forEach(table.add));
    downloadParts('users.csv', 'text/csv;charset=utf-8', table.parts());
  };
  const exportLines = async (options: Options) => {
    const parts: string[] = [];
    await readAll(options, (lines) => parts.push(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    downloadParts('users.ndjson', 'application/x-ndjson', parts);
  };
  const { sort: _, ...narrowing } = filterQuery(filters);
  const isFiltered = Object.values(narrowing).some((each) => each !== undefined && each !== '');
  return (
    <ExportButton
      label={isFiltered ? t('filter.exportMatches') : t('filter.export')}
      progress={(count) => t('filter.exporting', { count })}
      run={[
        { format: t('filter.exportCsv'), run: exportTable },
        { format: t('filter.exportLines'), run: exportLines },
      ]}
    />
  );
}
