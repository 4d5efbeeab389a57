import { createHash } from 'node:crypto';
import {
  BackupDamaged,
  type BackupFile,
  type BackupFiles,
  type BackupManifest,
  type DatabaseDump,
  type RowPages,
  type StorageDriver,
  type StoredRow,
  type TableShape,
  type TableSummary,
} from '../storage/port.ts';
import { SECRET_FACT } from './check-secret.ts';
import type { Keyring } from './keyring.ts';

export type MadeBackup =
  | { outcome: 'made'; manifest: BackupManifest }
  | { outcome: 'empty' }
  | { outcome: 'older' | 'newer'; applied: number; latest: number };

/** Progress: how many more rows were written or read back. */
type OnRows = (step: 'write' | 'read', count: number) => void;

/** Writes the file and reads it back: it ends up complete, or it does not exist. */
export async function makeBackup(
  { dump, migrationState }: Pick<StorageDriver, 'dump' | 'migrationState'>,
  files: BackupFiles,
  path: string,
  { version, now, onRows }: { version: string; now: number; onRows: OnRows },
): Promise<MadeBackup> {
  const { applied, latest } = await migrationState();
  if (applied === 0) return { outcome: 'empty' };
  if (applied !== latest) return { outcome: applied < latest ? 'older' : 'newer', applied, latest };
  const file = files.create(path);
  try {
    const tables = await dump.read(file.tables, async (rows) => {
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
    file.finish({ version, madeAt: now, source: dump.kind, tables });
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
    file.discard();
    throw error;
  }
}

/** Reads every row. Throws BackupDamaged if they do not match the manifest. */
export async function checkRows(
  { manifest, tables, rows }: BackupFile,
  onRows: (count: number) => void | Promise<void>,
): Promise<void> {
  if (manifest.tables.length !== tables.length) throw new BackupDamaged('its list of tables is incomplete');
  const listed = new Map(manifest.tables.map((table) => [table.name, table]));
  for (const table of tables) {
    const found = await summarizeTable(table, rows, onRows);
    const wanted = listed.get(table.name);
    if (found.hash !== wanted?.hash || found.rows !== wanted.rows) {
      throw new BackupDamaged(`the rows of ${table.name} differ from those that were written`);
    }
  }
}

/** Whether the hashed and sealed data in a backup can be used with the current secret. */
export async function secretFits({ tables, rows }: BackupFile, keyring: Keyring): Promise<boolean> {
  const facts = tables.find(({ name }) => name === 'facts');
  if (!facts) return true;
  const [name, value] = [facts.columns.indexOf('name'), facts.columns.indexOf('value')];
  for await (const page of rows(facts)) {
    const fact = page.find((row) => row[name] === SECRET_FACT);
    if (fact) return keyring.unseal(String(fact[value])) !== undefined;
  }
  // Nothing was ever hashed in it.
  return true;
}

/** Progress: how many more rows were written to the database or read back from it. If it throws, nothing is changed. */
type OnRestoredRows = (step: 'write' | 'read', count: number) => Promise<void>;

/**
 * Restores everything or nothing: the result is compared with the backup before the commit. The rows of the backup were
 * already checked (checkRows).
 */
export async function restoreBackup(
  dump: DatabaseDump,
  backup: BackupFile,
  { onlyEmpty, onRows }: { onlyEmpty: boolean; onRows: OnRestoredRows },
): Promise<'replaced' | 'not-empty' | 'in-use'> {
  const file = backup.upgraded();
  try {
    const wanted = new Map<string, TableSummary>();
    // An upgrade may have changed the tables that the manifest describes.
    if (file === backup) for (const table of backup.manifest.tables) wanted.set(table.name, table);
    else for (const table of file.tables) wanted.set(table.name, await summarizeTable(table, file.rows, () => {}));
    return await dump.replace(
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
            throw new Error(`Nothing was changed: the restored rows of ${table.name} differ from the backup.`);
          }
        },
      },
    );
  } finally {
    if (file !== backup) file.close();
  }
}

/** Counts and hashes a table as its rows pass, in key order: equal summaries mean equal rows. */
export class TableDigest {
  readonly #name: string;
  readonly #hash = createHash('sha256');
  #rows = 0;

  constructor({ name, columns }: TableShape) {
    this.#name = name;
    this.#hash.update(JSON.stringify(columns));
  }

  add(rows: readonly StoredRow[]): void {
    this.#rows += rows.length;
    let text = '';
    // Bytes become an array of one, so that they are never mistaken for a text.
    for (const row of rows)
      text += `\n${JSON.stringify(row.map((value) => (isBytes(value) ? [toText(value)] : value)))}`;
    this.#hash.update(text);
  }

  summary(): TableSummary {
    return { name: this.#name, rows: this.#rows, hash: this.#hash.copy().digest('hex') };
  }
}

export async function summarizeTable(
  table: TableShape,
  rows: RowPages,
  onRows: (count: number) => void | Promise<void>,
): Promise<TableSummary> {
  const digest = new TableDigest(table);
  for await (const page of rows(table)) {
    digest.add(page);
    await onRows(page.length);
  }
  return digest.summary();
}

function isBytes(value: StoredRow[number]): value is Uint8Array {
  return value instanceof Uint8Array;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
