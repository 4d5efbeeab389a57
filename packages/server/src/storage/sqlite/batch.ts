import type { Acts } from './acts.ts';

/** What travels between the HTTP thread and the writer thread. */
export type WriterData = { path: string; truncateMs?: number };
export type BatchMessage = { acts: [name: keyof Acts, args: unknown[]][] };
export type BatchResult = { results: ActResult[] };
export type ActResult = { outcome: unknown } | FailedAct;
export type FailedAct = {
  failed: 'unavailable' | 'defect';
  message: string;
  /** The disk takes no writes. */
  unwritable?: true;
  /** The file is damaged or cannot be read. */
  damaged?: true;
};
