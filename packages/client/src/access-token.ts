import { type InnkeeperError, isInnkeeperError, ownError } from './error.ts';
import { type Limits, within } from './limits.ts';

/**
 * The user's access token, or a function that gets one: called with undefined for the first, and again with each one
 * that the service rejects. The function has the same timeout as an attempt.
 */
export type AccessToken = string | ((rejected: string | undefined) => string | Promise<string>);

/** Called when the service no longer accepts any token of this user; not again before it has accepted one. */
export type OnSignedOut = (refusal: InnkeeperError) => void;

/** Runs calls that need an access token, with a new one if the current one has expired. */
export function withAccessToken(given: AccessToken, onSignedOut?: OnSignedOut) {
  let current: Promise<string> | undefined;
  let isSignedOut = false;
  const request = (rejected?: string): Promise<string> => {
    const pending = askFor(given, rejected);
    current = pending;
    pending.catch(() => forget(pending));
    return pending;
  };
  // The next call asks the page again.
  const forget = (pending: Promise<string>) => {
    if (current === pending) current = undefined;
  };
  const settled = async (pending: Promise<string>, limits: Limits): Promise<string> => {
    const failed = (cause: unknown) => {
      const isOurs = isInnkeeperError(cause) && cause.code === 'no_token';
      const message = isOurs ? cause.message : 'There is no access token for this user.';
      return ownError('no_token', message, { operation: limits.operation, cause });
    };
    try {
      return await within(limits, () => pending, failed);
    } catch (error) {
      if (isInnkeeperError(error) && error.code === 'timeout') forget(pending);
      throw error;
    }
  };

  const run = async <T>(limits: Limits, call: (token: string) => Promise<T>): Promise<T> => {
    const used = current ?? request();
    const token = await settled(used, limits);
    try {
      return await call(token);
    } catch (error) {
      if (typeof given === 'string' || !isRefusedToken(error)) throw error;
      // If many calls fail at the same time, the first one asks for all.
      return call(await settled(current === used || current === undefined ? request(token) : current, limits));
    }
  };

  return async <T>(limits: Limits, call: (token: string) => Promise<T>): Promise<T> => {
    try {
      const result = await run(limits, call);
      isSignedOut = false;
      return result;
    } catch (error) {
      if (onSignedOut && !isSignedOut && isRefusedToken(error)) {
        isSignedOut = true;
        // Report an error of the page's own handler as uncaught.
        queueMicrotask(() => onSignedOut(error));
      }
      throw error;
    }
  };
}

const isRefusedToken = (error: unknown): error is InnkeeperError => isInnkeeperError(error) && error.code === '1007';

async function askFor(given: AccessToken, rejected: string | undefined): Promise<string> {
  const token: unknown = typeof given === 'string' ? given : await given(rejected);
  // An error page or JSON is not a token, and would be kept as one that was not yet rejected.
  if (typeof token === 'string' && /^[^\s"]+$/.test(token)) return token;
  throw ownError('no_token', 'accessToken must return the access_token alone, as a string.');
}
