export interface FactStore {
  get(name: string): Promise<string | undefined>;
  /** The first writer wins; everybody gets the winner's value. */
  settle(name: string, value: string): Promise<string>;
  /** Replaces a value that is still `expected`; false when another writer was faster. */
  replace(name: string, expected: string, value: string): Promise<boolean>;
}
