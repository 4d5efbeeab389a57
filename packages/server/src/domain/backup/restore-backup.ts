import type { BackupFile, DatabaseDump, TableSummary } from '../../storage/port.ts';
import { summarizeTable } from './summarize-table.ts';

/** Progress: how many more rows were written to the database or read back from it. If it throws, nothing is changed. */
export type OnRows = (step: 'write' | 'read', count: number) => Promise<void>;

/**
 * Restores everything or nothing: the result is compared with the backup before the commit. The rows of the backup were
 * already checked (checkRows).
 */
export async function restoreBackup(
  whole: DatabaseDump,
  backup: BackupFile,
  { onlyEmpty, onRows }: { onlyEmpty: boolean; onRows: OnRows },
): Promise<'replaced' | 'not-empty' | 'in-use'> {
  const file = backup.upgraded();
  try {
    const wanted = new Map<string, TableSummary>();
    // An upgrade may have changed the tables that the manifest describes.
    if (file === backup) for (const table of backup.manifest.tables) wanted.set(table.name, table);
    else for (const table of file.tables) wanted.set(table.name, await summarizeTable(table, file.rows, () => {}));
    return await whole.replace(
      file.tables,
      async function* (table) {
        for await (const page of file.rows(table)) {
          yield page;
          await onRows('write', page.length);
        }
      },
      {
        onlyEmpty,
        async check(rows) {
          for (const table of file.tables) {
            const found = await summarizeTable(table, rows, (count) => onRows('read', count));
            if (found.hash === wanted.get(table.name)?.hash) continue;
            throw new Error(
              `Nothing was changed: the rows of ${table.name} came out other than they are in the backup.`,
            );
          }
        },
      },
    );
  } finally {
    if (file !== backup) file.close();
  }
}
