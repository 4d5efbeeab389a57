import type { Storage } from './storage.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

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

/** The database must not be used in its present state: nothing was changed. */
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

/** Where users and their data are, after `distribute`. */
export type Distribution = {
  /** Nodes of the cluster that hold users. */
  workers: number;
  /** Parts that users are spread over: each is on one node as a whole. */
  homes: number;
  /** Users moved to their home by this run; 0: it was distributed before. */
  moved: number;
};

/** `done` of `of` users are at their home. */
export type OnDistributed = (done: number, of: number) => void;

/** Asked before storage is opened: opening runs what is pending. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  /** Spreads users over the nodes of a cluster; DatabaseRefused where there is none. May be repeated. */
  distribute(onProgress: OnDistributed): Promise<Distribution>;
  open(): Promise<Storage>;
  readonly dump: DatabaseDump;
  /** Undefined if the database cleans up by itself. */
  readonly scrub?: Scrub;
}

/** What is left before writes fail: on the disk of the file, or for further clients of the server. */
export type DatabaseRoom =
  | { kind: 'disk'; free: number; size: number; forScrub: number }
  | { kind: 'connections'; used: number; most: number };

/** For `innkeeper doctor`: whether the content of a database is consistent. */
export type DataCheck = {
  /** What was compared, worded to follow "checked". */
  checked: string;
  /** One for each problem; empty if there is none. */
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
  discard(): void;
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
