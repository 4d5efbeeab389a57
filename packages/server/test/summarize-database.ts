import { summarizeTable } from '../src/domain/backup/summarize-table.ts';
import { storageDriver } from '../src/storage/open.ts';
import type { TableShape, TableSummary } from '../src/storage/port.ts';
import { createBackupFile } from '../src/storage/sqlite/backup-file.ts';

/** What a database holds, table by table. `scratch` is a file that may be made and is left behind by nobody. */
export async function summarizeDatabase(url: string, scratch: string): Promise<TableSummary[]> {
  const tables = backupTables(scratch);
  return (await storageDriver(url)).whole.read(tables, async (rows) => {
    const summaries: TableSummary[] = [];
    for (const table of tables) summaries.push(await summarizeTable(table, rows, () => {}));
    return summaries;
  });
}

function backupTables(scratch: string): readonly TableShape[] {
  const file = createBackupFile(scratch);
  file.abandon();
  return file.tables;
}

export const byName = (tables: TableSummary[]): Record<string, Omit<TableSummary, 'name'>> =>
  Object.fromEntries(tables.map(({ name, ...rest }) => [name, rest]));
