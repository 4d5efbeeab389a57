import type { FastifyError } from 'fastify';
import { ERRORS, type FieldError, InnkeeperError } from '../domain/errors.ts';
import { StorageUnavailable } from '../storage/port.ts';
import { TokenServiceUnreachable } from '../tokens/port.ts';
import type { Answering, Asked } from './asked.ts';
import { clientAddress } from './client-address.ts';
import type { CredentialThrottle } from './credential-throttle.ts';

/** Answers that show a secret was guessed wrong. A spent specialToken is not among them: honest races make those. */
const FAILED_CREDENTIALS = new Set(['0011', '0006']);

export type ErrorBody = { code: string; message: string; errors?: FieldError[] };

/** Every error leaves through here, as the two fields of SPEC.md section 7. */
export function createErrorHandler(throttle: CredentialThrottle) {
  return (thrown: unknown, request: Asked, reply: Answering): void => {
    let error = toInnkeeperError(thrown, request);
    if (isFailedCredential(error, request)) {
      try {
        throttle.failed(clientAddress(request), performance.now());
      } catch (throttled) {
        error = throttled as InnkeeperError;
      }
    }
    if (error.status >= 500) request.log.error({ reqId: request.id, err: thrown, code: error.code }, 'request failed');
    else if (error.cause) request.log.warn({ reqId: request.id, err: error.cause, code: error.code }, 'request failed');
    sendError(reply, error);
  };
}

/** Who sends no credentials at all has guessed nothing. */
function isFailedCredential({ code, error }: InnkeeperError, { headers }: Asked): boolean {
  if (error === 'manageTokenInvalid' || error === 'linkInvalid' || error === 'sessionEnded') return true;
  if (error === 'credentialsWrong' || error === 'unauthorized' || code === '1011')
    return headers.authorization !== undefined;
  return FAILED_CREDENTIALS.has(code);
}

export function sendError(reply: Answering, error: InnkeeperError): void {
  reply.code(error.status).headers(error.headers);
  if (error.status === 401) reply.header('www-authenticate', challenge(error));
  if (error.status === 503) reply.header('retry-after', '1');
  reply.errorCode = error.code;
  reply.header('cache-control', 'no-store');
  const told = reply.request.routeOptions.config.oauthErrors ? oauthBody(error) : body(error);
  if (!wantsProblem(reply.request)) reply.send(told);
  else
    reply.type('application/problem+json; charset=utf-8').send({ ...problemOf(error, reply.server.guideUrl), ...told });
}

function wantsProblem({ headers }: Asked): boolean {
  return /application\/problem\+json(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers.accept ?? '');
}

/** RFC 9457, for those who ask for it: beside the fields that all errors have. `type` leads to what to do. */
function problemOf({ code, error, message, status }: InnkeeperError, guideUrl: string) {
  return { type: `${guideUrl}/errors#${code}`, title: ERRORS[error].message, status, detail: message };
}

/** Area B and the portal are called from browsers, which answer a Basic challenge with a dialogue of their own. */
function challenge({ code }: InnkeeperError): string {
  return code.startsWith('1') || code === '9401'
    ? 'Bearer realm="innkeeper"'
    : 'Basic realm="innkeeper", Bearer realm="innkeeper"';
}

function body({ code, message, fields, more }: InnkeeperError): ErrorBody {
  return { code, message, ...(fields && { errors: fields }), ...more };
}

/** RFC 6749 5.2: OAuth clients read these two fields; ours stand beside them. */
function oauthBody(error: InnkeeperError): ErrorBody & { error: string; error_description: string } {
  return { error: oauthErrorOf(error.status), error_description: error.message, ...body(error) };
}

export function oauthErrorOf(status: number): string {
  return status === 401 ? 'invalid_client' : status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
}

/** The framework's own errors, in our words. */
function toInnkeeperError(thrown: unknown, { routeOptions }: Asked): InnkeeperError {
  if (thrown instanceof InnkeeperError) return thrown;
  if (thrown instanceof StorageUnavailable) return new InnkeeperError('unavailable');
  if (thrown instanceof TokenServiceUnreachable) return new InnkeeperError('tokenServiceDown');
  const { code, statusCode } = thrown as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const mebibytes = (routeOptions.bodyLimit ?? 0) / 1024 ** 2;
    return new InnkeeperError(
      'bodyTooLarge',
      mebibytes < 1 ? {} : { message: `The body is larger than ${mebibytes} MiB.` },
    );
  }
  if (code === 'FST_ERR_BAD_URL') return new InnkeeperError('badRequest', { message: 'The path is not a valid URL.' });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new InnkeeperError('badRequest', { message: (thrown as Error).message });
  }
  return new InnkeeperError('internal');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors also carry the fields of RFC 6749 5.2. */
    oauthErrors?: boolean;
  }
  interface FastifyInstance {
    /** Where people read what the codes of errors mean. */
    guideUrl: string;
  }
  interface FastifyReply {
    /** The code of the error answered, for the log and the metrics. */
    errorCode: string | undefined;
  }
}
