import { isInnkeeperError, ownError } from './error.ts';

/**
 * The user's access token, or how to come by one: asked for the first one with undefined, and once more for each one
 * that the service no longer takes.
 */
export type AccessToken = string | ((rejected: string | undefined) => string | Promise<string>);

/** Runs what needs an access token; with a new one when the one at hand has expired. */
export function withAccessToken(given: AccessToken) {
  let current: Promise<string> | undefined;
  const ask = (rejected?: string): Promise<string> => {
    const asked = askFor(given, rejected);
    current = asked;
    // Whoever asks next asks the page again.
    asked.catch(() => {
      if (current === asked) current = undefined;
    });
    return asked;
  };

  return async <T>(call: (token: string) => Promise<T>): Promise<T> => {
    const used = current ?? ask();
    const token = await used;
    try {
      return await call(token);
    } catch (error) {
      if (typeof given === 'string' || !isInnkeeperError(error) || error.code !== '1007') throw error;
      // Of many calls that fail at the same time, the first asks for all.
      return call(await (current === used || current === undefined ? ask(token) : current));
    }
  };
}

async function askFor(given: AccessToken, rejected: string | undefined): Promise<string> {
  let token: unknown;
  let cause: unknown;
  try {
    token = typeof given === 'string' ? given : await given(rejected);
  } catch (error) {
    cause = error;
  }
  if (typeof token === 'string' && token !== '') return token;
  throw ownError('no_token', 'There is no access token for this user.', { cause });
}
