import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';

/**
 * Converts any failure to the port's errors. Drops the `cause` of oauth4webapi's errors: it contains the response body,
 * and a token in it could end up in a log.
 */
export function toTokenError(error: unknown): TokenServiceRefused | TokenServiceUnreachable {
  if (error instanceof TokenServiceUnreachable || error instanceof TokenServiceRefused) return error;
  return new TokenServiceRefused(`no usable token from the token service: ${describe(error)}`);
}

/** For calls that request no token: they can only fail because the service could not answer. */
export function toUnreachable(error: unknown): TokenServiceUnreachable {
  const known = toTokenError(error);
  return known instanceof TokenServiceUnreachable ? known : new TokenServiceUnreachable(known.message);
}

function describe(error: unknown): string {
  if (error instanceof ResponseBodyError) {
    const text = [`HTTP ${error.status}`, error.error, error.error_description].filter(Boolean).join(' ');
    return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return `HTTP ${error.status}, our client credentials are not accepted`;
  return error instanceof Error ? error.message : String(error);
}
