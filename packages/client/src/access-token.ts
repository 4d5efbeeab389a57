import { isInnkeeperError, ownError } from './error.ts';
import { type Limits, within } from './limits.ts';

/**
 * The user's access token, or how to come by one: asked for the first one with undefined, and once more for each one
 * that the service no longer takes. It has as long as an attempt has.
 */
export type AccessToken = string | ((rejected: string | undefined) => string | Promise<string>);

/** Runs what needs an access token; with a new one when the one at hand has expired. */
export function withAccessToken(given: AccessToken) {
  let current: Promise<string> | undefined;
  const ask = (rejected?: string): Promise<string> => {
    const asked = askFor(given, rejected);
    current = asked;
    asked.catch(() => forget(asked));
    return asked;
  };
  // Whoever asks next asks the page again.
  const forget = (asked: Promise<string>) => {
    if (current === asked) current = undefined;
  };
  const settled = async (asked: Promise<string>, limits: Limits): Promise<string> => {
    const failed = (cause: unknown) =>
      ownError('no_token', 'There is no access token for this user.', { operation: limits.operation, cause });
    try {
      return await within(limits, () => asked, failed);
    } catch (error) {
      if (isInnkeeperError(error) && error.code === 'timeout') forget(asked);
      throw error;
    }
  };

  return async <T>(limits: Limits, call: (token: string) => Promise<T>): Promise<T> => {
    const used = current ?? ask();
    const token = await settled(used, limits);
    try {
      return await call(token);
    } catch (error) {
      if (typeof given === 'string' || !isInnkeeperError(error) || error.code !== '1007') throw error;
      // Of many calls that fail at the same time, the first asks for all.
      return call(await settled(current === used || current === undefined ? ask(token) : current, limits));
    }
  };
}

async function askFor(given: AccessToken, rejected: string | undefined): Promise<string> {
  const token: unknown = typeof given === 'string' ? given : await given(rejected);
  if (typeof token === 'string' && token !== '') return token;
  throw new TypeError('accessToken gave no text');
}
