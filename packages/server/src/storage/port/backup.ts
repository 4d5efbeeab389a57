import type { DatabaseKind } from './driver.ts';

/** As SQLite keeps it: identifiers and hashes are bytes, true is 1. So a row is the same whichever database it is from. */
type StoredValue = null | number | string | Uint8Array;
export type StoredRow = StoredValue[];

/** `key` is the primary key: rows are read in its order, texts by their bytes. */
export type TableShape = { name: string; columns: readonly string[]; key: readonly string[] };

export type RowPages = (table: TableShape) => AsyncIterable<StoredRow[]>;

export type Contents = { applications: number; users: number; accounts: number };

/** All that is kept for good. What only tells replicas of each other's changes is no part of it. */
export interface DatabaseDump {
  readonly kind: DatabaseKind;
  /** All rows are of one moment, and a page of them is in memory. Nobody is held up meanwhile. */
  read<T>(tables: readonly TableShape[], use: (rows: RowPages) => Promise<T>): Promise<T>;
  /** Nothing at all in a database without tables. */
  contents(): Promise<Contents>;
  /**
   * One transaction: everything goes, these rows come (tables before those that refer to them), `check` reads what is
   * there then, and what it throws undoes all of it. Runs pending migrations first. Replicas reload everything.
   */
  replace(
    tables: readonly TableShape[],
    rows: RowPages,
    options: { onlyEmpty: boolean; check: (rows: RowPages) => Promise<void> },
  ): Promise<'replaced' | 'not-empty' | 'in-use'>;
}

export type TableSummary = { name: string; rows: number; hash: string };

export type BackupManifest = {
  /** Of the Innkeeper that made it. */
  version: string;
  madeAt: number;
  source: DatabaseKind;
  /** The number of the newest SQLite migration in it: the file is always a SQLite database. */
  schema: number;
  tables: TableSummary[];
};

/** What cannot be written throws BackupUnwritable; rows that break a key or a type throw RowsContradict. */
export interface NewBackupFile {
  /** Those of the newest schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  add(table: TableShape, rows: readonly StoredRow[]): void;
  /** On disk when it returns. */
  finish(manifest: Omit<BackupManifest, 'schema'>): void;
  abandon(): void;
}

export interface BackupFile {
  readonly manifest: BackupManifest;
  /** Those of its own schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  /** Throws BackupDamaged where the file cannot be read. */
  readonly rows: RowPages;
  /** A copy of the newest schema, gone when it is closed; itself, if it has that schema. Throws BackupDamaged. */
  upgraded(): BackupFile;
  close(): void;
}

export class BackupDamaged extends Error {
  override name = 'BackupDamaged';
}

/** Rows of the database contradict each other, so that no valid file can hold them. */
export class RowsContradict extends Error {
  override name = 'RowsContradict';
}

/** Not the database but the file: its disk is full, say. */
export class BackupUnwritable extends Error {
  override name = 'BackupUnwritable';
}

export type OpenedBackup =
  | { outcome: 'opened'; file: BackupFile }
  /** Made by a newer Innkeeper. */
  | { outcome: 'newer'; version: string; schema: number; latest: number }
  | { outcome: 'foreign' }
  | { outcome: 'damaged' };

/** One format for both databases, so that a backup of one can be restored into the other. */
export interface BackupFiles {
  create(path: string): NewBackupFile;
  open(path: string): OpenedBackup;
}
