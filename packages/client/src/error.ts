export type FieldProblem = { field: string; message: string; allowed?: unknown };

/** A refusal, in the words of the service; or `code` 'unreachable' when no answer of the service came back. */
export class InnkeeperError extends Error {
  override name = 'InnkeeperError';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldProblem[];
  /** All that the answer held: a conflict also says what changed. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;

  constructor(answer: { status: number; body: Record<string, unknown>; requestId?: string; cause?: unknown }) {
    const { code, message, errors } = answer.body;
    super(typeof message === 'string' ? message : `The service answered with HTTP ${answer.status}.`, {
      cause: answer.cause,
    });
    this.status = answer.status;
    this.code = typeof code === 'string' ? code : String(answer.status);
    this.errors = Array.isArray(errors) ? errors : [];
    this.body = answer.body;
    this.requestId = answer.requestId;
  }
}

export function isInnkeeperError(error: unknown): error is InnkeeperError {
  return error instanceof InnkeeperError;
}
