import type { WholeDatabase } from './backup.ts';
import type { Scrub } from './scrub.ts';
import type { Storage } from './storage.ts';

export type MigrationState = { applied: number; latest: number };

/** Asked before storage is opened: opening runs what is pending. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  open(): Promise<Storage>;
  readonly whole: WholeDatabase;
  /** Missing where the database cleans up by itself. */
  readonly scrub?: Scrub;
}
