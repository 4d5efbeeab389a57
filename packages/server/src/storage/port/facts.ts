export interface FactStore {
  get(name: string): Promise<string | undefined>;
  /** The first writer wins; everyone gets the winner's value. */
  settle(name: string, value: string): Promise<string>;
  /** Replaces a value if it is still `expected`; false if another writer was faster. */
  replace(name: string, expected: string, value: string): Promise<boolean>;
}
