import type { ErrorResponsesOf, OperationName } from './operation.ts';

export type FieldProblem = { field: string; message: string; allowed?: unknown };

/**
 * Codes of our own, for errors that the service did not return: no response (`unreachable`), none in time (`timeout`),
 * no longer wanted (`aborted`), not from the service (`garbled`); an invalid call (`misused`); no access token from the
 * page (`no_token`); no key of this name in the catalog (`unknown_key`).
 */
export type OwnCode = 'unreachable' | 'timeout' | 'aborted' | 'garbled' | 'misused' | 'no_token' | 'unknown_key';

/** Lets two copies of this package on one page recognize each other's errors. */
const BRAND = Symbol.for('innkeeper.error');

/** The only error that this package throws: a refusal by the service, or one of our own codes. */
export class InnkeeperError extends Error {
  override name = 'InnkeeperError';
  readonly [BRAND] = true;
  /** HTTP status; 0 if there was no response. */
  declare readonly status: number;
  declare readonly code: string;
  declare readonly errors: readonly FieldProblem[];
  /** The whole response body: a conflict also says what changed. */
  declare readonly body: Readonly<Record<string, unknown>>;
  declare readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the service says so. */
  declare readonly retryAfter: number | undefined;
  /** The operation, as docs/openapi.json names it: 'post /api/user_options'. */
  declare readonly operation: string | undefined;

  constructor(response: {
    status: number;
    body: Record<string, unknown>;
    headers?: Headers | undefined;
    operation?: string | undefined;
    cause?: unknown;
  }) {
    const { code, message, errors } = response.body;
    super(
      typeof message === 'string' ? message : `The response did not come from the service (HTTP ${response.status}).`,
      {
        cause: response.cause,
      },
    );
    this.status = response.status;
    this.code = typeof code === 'string' ? code : 'garbled';
    this.errors = Array.isArray(errors) ? errors.filter(isFieldProblem) : [];
    this.body = response.body;
    this.requestId = response.headers?.get('x-request-id') ?? undefined;
    this.retryAfter = secondsUntil(response.headers?.get('retry-after') ?? '');
    this.operation = response.operation;
  }

  /** The same call may succeed later, or with another token. */
  get isRetryable(): boolean {
    const { status, code } = this;
    if (status === 0) return !['misused', 'unknown_key', 'aborted'].includes(code);
    return status === 401 || status === 429 || status >= 500;
  }

  /** For logs: without the body and the cause. */
  toJSON() {
    const { name, message, status, code, errors, requestId, retryAfter, operation } = this;
    return { name, message, status, code, errors, requestId, retryAfter, operation };
  }
}

/** Reads seconds or an HTTP date. */
function secondsUntil(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return text.endsWith('GMT') && seconds > -Infinity ? Math.max(0, seconds) : undefined;
}

function isFieldProblem(each: unknown): each is FieldProblem {
  const { field, message } = (each ?? {}) as Partial<Record<string, unknown>>;
  return typeof field === 'string' && typeof message === 'string';
}

/** An error of one operation: `status` and `code` are those it can return, or our own. */
export type ErrorOf<O extends OperationName> =
  | (InnkeeperError & ErrorResponsesOf<O>)
  | (InnkeeperError & { readonly code: OwnCode });

export function isInnkeeperError(error: unknown): error is InnkeeperError;
/** For one operation: `isInnkeeperError(error, 'post /api/user_options') && error.code === '1008'`. */
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
