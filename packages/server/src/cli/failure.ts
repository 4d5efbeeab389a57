/** What a command could not do, for the person who ran it, with a suggested fix. Exits with 1. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exitCode: 1 | 2 = 1;
  readonly wayOut: string | undefined;
  /** When there are several reasons, one line each. */
  readonly problems: readonly string[];
  /** The suggested fix at more length, for people: a table. Programs get `wayOut`. */
  readonly guide: string | undefined;

  constructor(message: string, more: { wayOut?: string; problems?: readonly string[]; guide?: string } = {}) {
    super(message);
    this.wayOut = more.wayOut;
    this.problems = more.problems ?? [];
    this.guide = more.guide;
  }
}

/** The command was called wrongly: nothing was tried. Ends with exit code 2. */
export class Misuse extends Failure {
  override name = 'Misuse';
  override readonly exitCode = 2;
}
