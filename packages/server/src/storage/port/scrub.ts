/** Rewrites the database file, so that nothing of what was deleted is left in it. Only SQLite needs it. */
export type Scrub = (options: {
  now: number;
  /** Not if the last scrub was after this moment: several processes may want the same one. */
  unlessSince?: number;
  /** Bytes written so far, and how many there will be. */
  onProgress?(written: number, whole: number): void;
}) => Promise<ScrubOutcome>;

export type ScrubOutcome =
  | { outcome: 'scrubbed'; bytesBefore: number; bytesAfter: number; logEmptied: boolean }
  | { outcome: 'not-due' }
  /** Another process writes, for longer than anybody waits. */
  | { outcome: 'in-use' }
  | { outcome: 'no-space'; neededBytes: number; freeBytes: number; folder: string };
