/** What the database knows about the time, for detecting a wrong clock. */
export interface ClockStore {
  /** The time of the database server. Undefined for a SQLite file, which has no clock of its own. */
  read(): Promise<number | undefined>;
  /**
   * When the newest record of the audit, the statistics, the signing keys or the changes was written; undefined without
   * any.
   */
  newestRecord(): Promise<number | undefined>;
}
