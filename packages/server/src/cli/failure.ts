/** Why a command failed, for the person who ran it, with a suggested fix. Exits with 1. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exitCode: 1 | 2 = 1;
  readonly wayOut: string | undefined;
  /** If there are several reasons, one line each. */
  readonly problems: readonly string[];
  /** A longer suggested fix, for people: a table. JSON output has `wayOut`. */
  readonly guide: string | undefined;

  constructor(message: string, more: { wayOut?: string; problems?: readonly string[]; guide?: string } = {}) {
    super(message);
    this.wayOut = more.wayOut;
    this.problems = more.problems ?? [];
    this.guide = more.guide;
  }
}

/** A usage error: nothing was tried. Exits with 2. */
export class UsageError extends Failure {
  override name = 'UsageError';
  override readonly exitCode = 2;
}
