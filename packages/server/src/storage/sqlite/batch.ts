import type { Acts } from './acts.ts';
import type { FileIdentity } from './open-file.ts';

/** What travels between the HTTP thread and the writer thread. */
export type WriterData = {
  path: string;
  link?: string | undefined;
  busyMs?: number | undefined;
  truncateMs?: number;
  longLog?: number;
  identity?: FileIdentity | undefined;
};
/** The file is opened when its tables are there; beside batches. */
export type WriterCommand = 'open' | 'close';
export type WriterReady = { identity: FileIdentity };
export type BatchMessage = { acts: [name: keyof Acts, args: unknown[]][] };
export type BatchResult = { results: ActResult[] };
export type ActResult = { outcome: unknown } | FailedAct;
type FailedAct = {
  failed: 'unavailable' | 'defect';
  message: string;
  /** The disk takes no writes. */
  unwritable?: true;
  /** The file is damaged or cannot be read. */
  damaged?: true;
  /** Somebody else wrote into the open file: what a check of it finds says nothing of what is gone. */
  overwritten?: true;
  /** Another process has held the write lock all the time. */
  busy?: true;
  /** The path leads to another file than the open one. */
  mismatched?: true;
};
