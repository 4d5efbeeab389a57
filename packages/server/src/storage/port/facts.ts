export interface FactStore {
  get(name: string): Promise<string | undefined>;
  /** The first writer wins; everybody gets the winner's value. */
  settle(name: string, value: string): Promise<string>;
}
