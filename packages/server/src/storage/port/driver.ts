import type { Storage } from '../port.ts';
import type { WholeDatabase } from './backup.ts';

export type MigrationState = { applied: number; latest: number };

export type StorageFigures = {
  /** Acts per transaction since the start: how well writes share a flush. */
  committedActs: number;
  committedBatches: number;
  waitingActs: number;
  connections: { open: number; idle: number; waiting: number };
  /** A write failed within the last minute because the disk is full or cannot be written. Reads go on. */
  writesFail: boolean;
};

/** Asked before storage is opened: opening runs what is pending. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  open(): Promise<Storage>;
  readonly whole: WholeDatabase;
}
