/** One kind of fault, brought about many times. A new one is a file in campaigns/ and a line in campaigns.ts. */
export type Campaign = {
  name: string;
  title: string;
  /** What must hold, every time. */
  promise: string;
  /** Where the fault shows: a log line, a metric, an answer, a command. */
  operatorSees: string;
  /** What is counted: kills, restarts, races. */
  unit: string;
  times: { short: number; full: number };
  run(ground: Ground): Promise<void>;
  /** The same against something that is known to be broken: a campaign that loses nothing there could not find a loss. */
  control: {
    what: string;
    times: number;
    run(ground: Ground): Promise<void>;
  };
};

/** What a campaign stands on. */
export type Ground = {
  /** How many tries are wanted. */
  times: number;
  isFull: boolean;
  /** For databases and files; removed afterwards. */
  folder: string;
  /** Undone when the campaign is over, however that ends, the last first. */
  defer(undo: () => unknown): void;
  /** One try. It survives unless it says what was lost, or throws. */
  attempt(work: (lose: (what: string) => void) => Promise<void>): Promise<void>;
  /** What only all tries together show; one of them counts as lost. */
  lose(what: string): void;
  /** A figure for the table: how quick, how many. */
  tell(figure: string): void;
};

/** Something is missing on this machine. The message says what, and how to get it; nothing was tried. */
export class CannotRun extends Error {}
