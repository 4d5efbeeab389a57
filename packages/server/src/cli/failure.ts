/** What a command could not do, in words for the person who ran it, with the way out. Ends with exit code 1. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exitCode: 1 | 2 = 1;
  readonly wayOut: string | undefined;
  /** When there are several reasons, one line each. */
  readonly problems: readonly string[];

  constructor(message: string, { wayOut, problems = [] }: { wayOut?: string; problems?: readonly string[] } = {}) {
    super(message);
    this.wayOut = wayOut;
    this.problems = problems;
  }
}

/** The command was called wrongly: nothing was tried. Ends with exit code 2. */
export class Misuse extends Failure {
  override name = 'Misuse';
  override readonly exitCode = 2;
}
