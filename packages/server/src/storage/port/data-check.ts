/** For `innkeeper doctor`: whether the content of a database is consistent. */
export type DataCheck = {
  /** What was compared, worded to follow "checked". */
  checked: string;
  /** One for each problem; empty if there is none. */
  findings: string[];
  /** What could not be checked here, and how to do it. */
  skipped?: { what: string; wayOut: string };
};

export type DataCheckOptions = {
  /** Includes slow checks: indexes against their tables, every user against its profile. */
  deep: boolean;
  onStep(what: string, done: number, of: number): void;
};
