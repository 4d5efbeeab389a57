import type { DatabaseDump } from './backup.ts';
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
  readonly wayOut: string;

  constructor(message: string, wayOut: string) {
    super(message);
    this.wayOut = wayOut;
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
  readonly whole: DatabaseDump;
  /** Missing where the database cleans up by itself. */
  readonly scrub?: Scrub;
}

/** What is left before writes fail: on the disk of the file, or for further clients of the server. */
export type DatabaseRoom =
  | { kind: 'disk'; free: number; size: number }
  | { kind: 'connections'; used: number; most: number };

/** For `innkeeper doctor`: whether the content of a database is consistent. */
export type DataCheck = {
  /** What was compared, worded to follow "checked". */
  checked: string;
  /** One for each problem; empty if there is none. */
  findings: string[];
  /** What could not be checked here, and how to do it. */
  skipped?: { what: string; wayOut: string };
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
