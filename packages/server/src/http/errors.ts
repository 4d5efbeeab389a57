import type { Logger } from 'pino';
import { ERRORS, type ErrorName, type FieldError, InnkeeperError } from '../domain/errors.ts';
import { createOutageLog } from '../monitoring/logging.ts';
import { StorageUnavailable } from '../storage/port.ts';
import { TokenServiceRefused, TokenServiceUnreachable } from '../tokens/port.ts';
import { prefersType } from './request-headers.ts';
import type { HttpReply, HttpRequest } from './server/request-and-reply.ts';

/** Errors that mean a wrong secret. A used specialToken is not one: legitimate races cause those. */
const FAILED_CREDENTIALS = new Set(['0011', '0006']);
/** Errors of credentials in the Authorization header. */
const IN_HEADER = new Set<ErrorName>(['credentialsWrong', 'backEndCredentialsWrong', 'unauthorized']);
const GUESSED = new Set<ErrorName>(['manageTokenInvalid', 'linkInvalid', 'preferenceLinkInvalid', 'sessionEnded']);

type Parts = {
  throttle: CredentialThrottle;
  logger: Logger;
  /** Where the error codes are documented; complete once the service listens. */
  guideUrl: () => string;
};

type ErrorBody = { code: string; message: string; errors?: FieldError[] };

/** Every error response is made here, with the fields `code` and `message`. */
export function createErrorHandler({ throttle, logger, guideUrl }: Parts) {
  const logOutage = createOutageLog(logger);
  return (thrown: unknown, request: HttpRequest, reply: HttpReply): void => {
    let error = toInnkeeperError(thrown);
    if (isFailedCredential(error, request)) {
      try {
        throttle.failed(request.network, performance.now());
      } catch (throttled) {
        error = throttled as InnkeeperError;
      }
    }
    const { code, status, cause } = error;
    const level = status >= 500 ? 'error' : 'warn';
    if (status === 503 || error.error === 'tokenServiceDown')
      logOutage({ level, code, reqId: request.id, thrown: cause ?? thrown });
    else if (status >= 500) logger.error({ reqId: request.id, err: thrown, code }, 'request failed');
    else if (cause) logger.warn({ reqId: request.id, err: cause, code }, 'request failed');
    sendError(request, reply, error, guideUrl);
  };
}

/** A request without credentials is not a guess. */
function isFailedCredential({ code, error }: InnkeeperError, { headers }: HttpRequest): boolean {
  if (GUESSED.has(error)) return true;
  if (IN_HEADER.has(error) || code === '1011') return headers.authorization !== undefined;
  return FAILED_CREDENTIALS.has(code);
}

function sendError(request: HttpRequest, reply: HttpReply, error: InnkeeperError, guideUrl: () => string): void {
  // Headers that the route set before it failed do not describe this body.
  reply.removeHeader('content-type');
  reply.code(error.status);
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  if (error.status === 401) reply.header('www-authenticate', challenge(error));
  if (error.status === 503 && !('retry-after' in error.headers)) reply.header('retry-after', '1');
  reply.errorCode = error.code;
  reply.header('cache-control', 'no-store');
  if (request.route?.failAsPage) {
    request.route.failAsPage(request, reply, error);
    return;
  }
  const content = request.route?.oauthErrors ? oauthBody(error) : body(error);
  if (!wantsProblem(request)) reply.send(content);
  else reply.type('application/problem+json; charset=utf-8').send({ ...problemOf(error, guideUrl()), ...content });
}

function wantsProblem({ headers }: HttpRequest): boolean {
  const { accept } = headers;
  return accept !== undefined && prefersType(accept, 'application/problem+json', 'application/json');
}

/** RFC 9457, for clients that ask for it: added to the usual fields. `type` links to the documentation. */
function problemOf({ code, error, message, status }: InnkeeperError, guideUrl: string) {
  return { type: `${guideUrl}/errors#${code}`, title: ERRORS[error].message, status, detail: message };
}

/** Browsers call the options API and the portal, and would show a dialog of their own for a Basic challenge. */
function challenge({ code }: InnkeeperError): string {
  return code.startsWith('1') || code === '9401'
    ? 'Bearer realm="innkeeper"'
    : 'Basic realm="innkeeper", Bearer realm="innkeeper"';
}

function body({ code, message, fields, more }: InnkeeperError): ErrorBody {
  return { code, message, ...(fields && { errors: fields }), ...more };
}

/** RFC 6749 5.2: OAuth clients read these two fields, in addition to ours. */
function oauthBody(error: InnkeeperError): ErrorBody & { error: string; error_description: string } {
  return { error: oauthErrorOf(error.status), error_description: error.message, ...body(error) };
}

export function oauthErrorOf(status: number): string {
  return status === 401 ? 'invalid_client' : status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
}

function toInnkeeperError(thrown: unknown): InnkeeperError {
  if (thrown instanceof InnkeeperError) return thrown;
  // Nothing is signed while the clock is wrong.
  if (thrown instanceof StorageUnavailable || thrown instanceof TokenServiceRefused)
    return new InnkeeperError('unavailable');
  if (thrown instanceof TokenServiceUnreachable) return new InnkeeperError('tokenServiceDown');
  return new InnkeeperError('internal');
}

/** Failures an address may make in a burst, and how fast they are refilled. */
const BURST = 200;
const PER_SECOND = 5;
const MAX_ADDRESSES = 10_000;

type Bucket = { failures: number; at: number };

/**
 * Slows down clients that keep sending wrong secrets. It is checked only after a credential has failed, so a request
 * with valid credentials is never affected, even if others from its address fail.
 */
export class CredentialThrottle {
  readonly #buckets = new Map<string, Bucket>();

  /** Counts a failure; throws if the address has made too many. `now` is monotonic: performance.now(). */
  failed(network: string, now: number): void {
    const bucket = this.#buckets.get(network) ?? { failures: 0, at: now };
    bucket.failures = Math.max(0, bucket.failures - ((now - bucket.at) / 1000) * PER_SECOND) + 1;
    bucket.at = now;
    // Re-insert as last: the first key is always the address that has been quiet the longest.
    this.#buckets.delete(network);
    this.#buckets.set(network, bucket);
    if (this.#buckets.size > MAX_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value as string);
    if (bucket.failures <= BURST) return;
    bucket.failures = Math.min(bucket.failures, BURST * 2);
    const seconds = Math.ceil((bucket.failures - BURST) / PER_SECOND);
    throw new InnkeeperError('tooManyFailures', { headers: { 'retry-after': String(Math.max(1, seconds)) } });
  }
}
