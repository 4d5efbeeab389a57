import type { ErrorAnswersOf, OperationName } from './operation.ts';

export type FieldProblem = { field: string; message: string; allowed?: unknown };

/**
 * What the service has no code for, because it did not say it: no answer came (`unreachable`), not in time (`timeout`),
 * was no longer wanted (`aborted`) or is not one of the service (`garbled`); the call itself makes no sense (`misused`);
 * the page gave no access token (`no_token`); the catalog has no key of this name (`unknown_key`).
 */
export type OwnCode = 'unreachable' | 'timeout' | 'aborted' | 'garbled' | 'misused' | 'no_token' | 'unknown_key';

/** Two copies of this package on one page know each other's errors by it. */
const BRAND = Symbol.for('innkeeper.error');

/** The only thing that this package throws: a refusal in the words of the service, or a code of our own. */
export class InnkeeperError extends Error {
  override name = 'InnkeeperError';
  readonly [BRAND] = true;
  /** Of the answer; 0 when there was none. */
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldProblem[];
  /** All that the answer held: a conflict also says what changed. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  /** Seconds after which it may be asked again, where the service says so. */
  readonly retryAfter: number | undefined;
  /** What was asked, as docs/openapi.json names it: 'post /api/user_options'. */
  readonly operation: string | undefined;

  constructor(answer: {
    status: number;
    body: Record<string, unknown>;
    headers?: Headers | undefined;
    operation?: string | undefined;
    cause?: unknown;
  }) {
    const { code, message, errors } = answer.body;
    super(typeof message === 'string' ? message : `What answered is not the service (HTTP ${answer.status}).`, {
      cause: answer.cause,
    });
    this.status = answer.status;
    this.code = typeof code === 'string' ? code : 'garbled';
    this.errors = Array.isArray(errors) ? errors.filter(isFieldProblem) : [];
    this.body = answer.body;
    this.requestId = answer.headers?.get('x-request-id') ?? undefined;
    this.retryAfter = secondsUntil(answer.headers?.get('retry-after') ?? '');
    this.operation = answer.operation;
  }

  /** The same may succeed later, or with another token. */
  get isRetryable(): boolean {
    const { status, code } = this;
    if (status === 0) return code !== 'misused' && code !== 'unknown_key' && code !== 'aborted';
    return status === 401 || status === 429 || status >= 500;
  }

  /** For logs: without the body and the cause. */
  toJSON() {
    const { name, message, status, code, errors, requestId, retryAfter, operation } = this;
    return { name, message, status, code, errors, requestId, retryAfter, operation };
  }
}

/** Seconds, or the time of day. */
function secondsUntil(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return text.endsWith('GMT') && seconds > -Infinity ? Math.max(0, seconds) : undefined;
}

function isFieldProblem(each: unknown): each is FieldProblem {
  const { field, message } = (each ?? {}) as Partial<Record<string, unknown>>;
  return typeof field === 'string' && typeof message === 'string';
}

/** An error of one operation: `status` and `code` are those that it can answer with, or one of our own. */
export type ErrorOf<O extends OperationName> =
  | (InnkeeperError & ErrorAnswersOf<O>)
  | (InnkeeperError & { readonly code: OwnCode });

export function isInnkeeperError(error: unknown): error is InnkeeperError;
/** Of this operation: `isInnkeeperError(error, 'post /api/user_options') && error.code === '1008'`. */
export function isInnkeeperError<O extends OperationName>(error: unknown, operation: O): error is ErrorOf<O>;
export function isInnkeeperError(error: unknown, operation?: string): boolean {
  if (error === null || typeof error !== 'object' || !(BRAND in error)) return false;
  return operation === undefined || (error as InnkeeperError).operation === operation;
}

export function ownError(
  code: OwnCode,
  message: string,
  more: { status?: number; operation?: string | undefined; headers?: Headers; cause?: unknown } = {},
): InnkeeperError {
  return new InnkeeperError({ status: 0, ...more, body: { code, message } });
}
