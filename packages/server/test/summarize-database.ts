import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summarizeTable } from '../src/domain/backup.ts';
import { storageDriver } from '../src/storage/open.ts';
import type { TableShape, TableSummary } from '../src/storage/port.ts';
import { createBackupFile } from '../src/storage/sqlite/backup-file.ts';

/** What a database contains, table by table. */
export async function summarizeDatabase(url: string): Promise<TableSummary[]> {
  const tables = backupTables();
  return (await storageDriver(url)).dump.read(tables, async (rows) => {
    const summaries: TableSummary[] = [];
    for (const table of tables) summaries.push(await summarizeTable(table, rows, () => {}));
    return summaries;
  });
}

/** The tables in a backup, taken from one that is aborted immediately. */
function backupTables(): readonly TableShape[] {
  const file = createBackupFile(join(tmpdir(), `innkeeper-${randomUUID()}.backup`));
  file.discard();
  return file.tables;
}

export const byName = (tables: TableSummary[]): Record<string, Omit<TableSummary, 'name'>> =>
  Object.fromEntries(tables.map(({ name, ...rest }) => [name, rest]));
