/** What `innkeeper doctor` asks of a database: whether what it holds is consistent. */
export type DataCheck = {
  /** What was compared, in words that follow "checked". */
  checked: string;
  /** One for each thing that is wrong; none when all is well. */
  findings: string[];
  /** What could not be checked here, and how it could be. */
  skipped?: { what: string; wayOut: string };
};

export type DataCheckOptions = {
  /** Also what takes long: indexes against their tables, every user against its profile. */
  deep: boolean;
  onStep(what: string, done: number, of: number): void;
};
