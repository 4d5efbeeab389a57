/** What the database knows of the time: a wrong clock is found by it. */
export interface ClockStore {
  /** The time of the database server. Undefined for a file, which has no clock but that of this process. */
  read(): Promise<number | undefined>;
  /** When the newest record of the audit, the statistics, the signing keys or the changes was written; undefined without any. */
  newestRecord(): Promise<number | undefined>;
}
