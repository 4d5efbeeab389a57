import type { DatabaseKind, Storage } from './storage.ts';

export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** The file of an embedded database is damaged or cannot be read. The message names it; RESTORE_STEPS say what to do. */
export class DatabaseDamaged extends StorageUnavailable {
  override name = 'DatabaseDamaged';
}

/** The file of an embedded database has a second name. hardLinkSteps say what to do. */
export class DatabaseHardLinked extends StorageUnavailable {
  override name = 'DatabaseHardLinked';
  readonly path: string;

  constructor(path: string, names: number) {
    super(
      `the database file ${path} has ${names} names (hard links). Used by more than one of them, it would lose data.`,
    );
    this.path = path;
  }
}

/** The database must not be used in its current state. Nothing was changed. */
export class DatabaseRefused extends StorageUnavailable {
  override name = 'DatabaseRefused';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** The database URL is invalid: a retry does not help. It may contain a password. */
export class DatabaseUrlInvalid extends Error {
  override name = 'DatabaseUrlInvalid';
}

export type MigrationState = { applied: number; latest: number };

/** How users are distributed, after `distribute`. */
export type Distribution = {
  /** Nodes of the cluster that store users. */
  workers: number;
  /** Parts that users are divided into; each is on one node. */
  homes: number;
  /** Users moved to their home by this run; 0 if they were distributed before. */
  moved: number;
};

/** `done` of `of` users were moved to their home. */
export type OnDistributed = (done: number, of: number) => void;

/** Used before storage is opened; `open` runs pending migrations. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  /** Distributes users over the nodes of a cluster; throws DatabaseRefused without one. Safe to repeat. */
  distribute(onProgress: OnDistributed): Promise<Distribution>;
  open(): Promise<Storage>;
  readonly dump: DatabaseDump;
  /** Undefined if the database cleans up by itself. */
  readonly scrub?: Scrub;
}

/** Remaining capacity: space on the disk of the file, or connections to the server. */
export type DatabaseCapacity =
  | { kind: 'disk'; free: number; size: number; forScrub: number }
  | { kind: 'connections'; used: number; most: number };

/** For `innkeeper doctor`: whether the content of a database is consistent. */
export type DataCheck = {
  /** What was compared, worded to follow "checked". */
  checked: string;
  /** One per problem; empty if there is none. */
  findings: string[];
  /** What could not be checked here, and how to check it. */
  skipped?: { what: string; remedy: string };
};

export type DataCheckOptions = {
  /** Includes slow checks: indexes against their tables, every user against its profile. */
  deep: boolean;
  onStep(what: string, done: number, of: number): void;
};

/** Rewrites the database file, so that nothing deleted is left in it. Only SQLite needs it. */
export type Scrub = (options: {
  now: number;
  /** Skip if the last scrub was after this time: several processes may request the same one. */
  unlessSince?: number;
  /** Bytes written so far, and the total. */
  onProgress?(written: number, whole: number): void;
}) => Promise<ScrubOutcome>;

export type ScrubOutcome =
  | { outcome: 'scrubbed'; bytesBefore: number; bytesAfter: number; logEmptied: boolean }
  | { outcome: 'not-due' }
  /** Another process has been writing for longer than the wait. */
  | { outcome: 'in-use' }
  | { outcome: 'no-space'; neededBytes: number; freeBytes: number; folder: string };

/** As SQLite stores it: identifiers and hashes are bytes, true is 1. So a row is the same from either database. */
type StoredValue = null | number | string | Uint8Array;
export type StoredRow = StoredValue[];

/** `key` is the primary key: rows are read in its order, texts by their bytes. */
export type TableShape = { name: string; columns: readonly string[]; key: readonly string[] };

export type RowPages = (table: TableShape) => AsyncIterable<StoredRow[]>;

export type Contents = { applications: number; users: number; accounts: number };

/** All permanent data, without the change log that replicas use to notify each other. */
export interface DatabaseDump {
  readonly kind: DatabaseKind;
  /** Reads all rows from one snapshot, with one page in memory at a time. Blocks no one. */
  read<T>(tables: readonly TableShape[], use: (rows: RowPages) => Promise<T>): Promise<T>;
  /** All zero in a database without tables. */
  contents(): Promise<Contents>;
  /**
   * Replaces all data in one transaction: deletes everything, inserts these rows (referenced tables first), then calls
   * `check` with the result; if it throws, everything is rolled back. Runs pending migrations first. Replicas reload
   * everything.
   */
  replace(
    tables: readonly TableShape[],
    rows: RowPages,
    options: { onlyEmpty: boolean; check: (rows: RowPages) => Promise<void> },
  ): Promise<'replaced' | 'not-empty' | 'in-use'>;
}

export type TableSummary = { name: string; rows: number; hash: string };

export type BackupManifest = {
  /** The version of Innkeeper that made the backup. */
  version: string;
  madeAt: number;
  source: DatabaseKind;
  /** The number of the newest SQLite migration in it: the file is always a SQLite database. */
  schema: number;
  tables: TableSummary[];
};

/** Throws BackupUnwritable if the file cannot be written, and RowsContradict for rows that violate a key or a type. */
export interface NewBackupFile {
  /** Tables of the newest schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  add(table: TableShape, rows: readonly StoredRow[]): void;
  /** The file is on disk when this returns. */
  finish(manifest: Omit<BackupManifest, 'schema'>): void;
  discard(): void;
}

export interface BackupFile {
  readonly manifest: BackupManifest;
  /** Tables of the file's own schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  /** Throws BackupDamaged if the file cannot be read. */
  readonly rows: RowPages;
  /**
   * A temporary copy with the newest schema, deleted on close; the file itself if it already has that schema. Throws
   * BackupDamaged, and BackupUnwritable if there is no room for the copy.
   */
  upgraded(): BackupFile;
  close(): void;
}

export class BackupDamaged extends Error {
  override name = 'BackupDamaged';
}

/** Rows of the database are inconsistent, so no valid file can contain them. */
export class RowsContradict extends Error {
  override name = 'RowsContradict';
}

/** The backup file cannot be written, for example because its disk is full. */
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
