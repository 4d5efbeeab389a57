/** One kind of fault, caused many times. To add one, create a file in campaigns/ and add a line to campaigns.ts. */
export type Campaign = {
  name: string;
  title: string;
  /** What must hold in every try. */
  promise: string;
  /** Where the fault shows: a log line, a metric, a response, a command. */
  operatorSees: string;
  /** What is counted: kills, restarts, races. */
  unit: string;
  times: { short: number; full: number };
  run(context: CampaignContext): Promise<void>;
  /** The same against something known to be broken: a campaign that finds no loss there could not find any. */
  control: {
    what: string;
    times: number;
    run(context: CampaignContext): Promise<void>;
  };
};

/** The environment of a campaign. */
export type CampaignContext = {
  /** How many tries to make. */
  times: number;
  isFull: boolean;
  /** For databases and files; deleted afterwards. */
  folder: string;
  /** Runs when the campaign is over, however it ends, in reverse order. */
  defer(undo: () => unknown): void;
  /** One try. It passes unless it reports a loss or throws. */
  attempt(work: (lose: (what: string) => void) => Promise<void>): Promise<void>;
  /** For losses that only all tries together show; one of them counts as lost. */
  lose(what: string): void;
  /** Adds a figure to the table: how fast, how many. */
  report(figure: string): void;
};

/** Something is missing on this machine. The message says what, and how to get it; nothing was tried. */
export class CannotRun extends Error {}
