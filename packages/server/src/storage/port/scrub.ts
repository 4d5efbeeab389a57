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
