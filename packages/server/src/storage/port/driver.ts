import type { DatabaseDump } from './backup.ts';
import type { Scrub } from './scrub.ts';
import type { Storage } from './storage.ts';

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
