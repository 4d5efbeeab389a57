import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';

/**
 * The port's error for any failure. No `cause` is kept of oauth4webapi's errors: theirs hold the answer's body,
 * and with it a token, where a log line could pick it up.
 */
export function toTokenError(error: unknown): TokenServiceRefused | TokenServiceUnreachable {
  if (error instanceof TokenServiceUnreachable || error instanceof TokenServiceRefused) return error;
  return new TokenServiceRefused(`no usable token from the token service: ${describe(error)}`);
}

/** For what asks for no token: all it can come to is that the service could not say. */
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
