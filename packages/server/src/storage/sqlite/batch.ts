import type { Acts } from './acts.ts';
import type { FileIdentity } from './open-file.ts';

/** Messages between the HTTP thread and the writer thread. The first opens the file, once its tables exist. */
export type OpenCommand = {
  path: string;
  link?: string | undefined;
  busyMs?: number | undefined;
  truncateMs?: number;
  longLog?: number;
  identity?: FileIdentity | undefined;
};
export type CloseCommand = 'close';
export type WriterReady = { identity: FileIdentity };
export type BatchMessage = { acts: [name: keyof Acts, args: unknown[]][] };
export type BatchResult = { results: ActResult[] };
export type ActResult = { outcome: unknown } | FailedAct;
type FailedAct = {
  failed: 'unavailable' | 'defect';
  message: string;
  /** The disk does not accept writes. */
  unwritable?: true;
  /** The file is damaged or cannot be read. */
  damaged?: true;
  /** Another program wrote into the open file: a check of it cannot find what is missing. */
  overwritten?: true;
  /** Another process held the write lock the whole time. */
  busy?: true;
  /** The path now leads to another file. */
  mismatched?: true;
};
