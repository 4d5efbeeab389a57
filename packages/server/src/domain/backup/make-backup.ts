import type { BackupFiles, BackupManifest, StorageDriver } from '../../storage/port.ts';
import { checkRows } from './check-backup.ts';
import { TableDigest } from './summarize-table.ts';

export type MadeBackup =
  | { outcome: 'made'; manifest: BackupManifest }
  | { outcome: 'empty' }
  | { outcome: 'older' | 'newer'; applied: number; latest: number };

/** Progress: how many more rows were written or read back. */
export type OnRows = (step: 'write' | 'read', count: number) => void;

/** Writes the file and reads it back: it ends up complete, or it does not exist. */
export async function makeBackup(
  { whole, migrationState }: Pick<StorageDriver, 'whole' | 'migrationState'>,
  files: BackupFiles,
  path: string,
  { version, now, onRows }: { version: string; now: number; onRows: OnRows },
): Promise<MadeBackup> {
  const { applied, latest } = await migrationState();
  if (applied === 0) return { outcome: 'empty' };
  if (applied !== latest) return { outcome: applied < latest ? 'older' : 'newer', applied, latest };
  const file = files.create(path);
  try {
    const tables = await whole.read(file.tables, async (rows) => {
      const digests = file.tables.map((table) => ({ table, digest: new TableDigest(table) }));
      for (const { table, digest } of digests) {
        for await (const page of rows(table)) {
          digest.add(page);
          file.add(table, page);
          onRows('write', page.length);
        }
      }
      return digests.map(({ digest }) => digest.summary());
    });
    file.finish({ version, madeAt: now, source: whole.kind, tables });
    const written = files.open(path);
    if (written.outcome !== 'opened')
      throw new Error(`The backup was written, but reading it back failed: ${written.outcome}.`);
    try {
      await checkRows(written.file, (count) => onRows('read', count));
      return { outcome: 'made', manifest: written.file.manifest };
    } finally {
      written.file.close();
    }
  } catch (error) {
    file.abandon();
    throw error;
  }
}
