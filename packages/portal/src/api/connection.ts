import { isInnkeeperError } from '@innkeeper/client/manage';
import { api } from './client.ts';
import { Flag } from './flag.ts';

const EVERY_MS = 2_000;

/** Pending while the service does not respond; resolves when it does again. */
let waiting: Promise<void> | undefined;
const isAway = new Flag();
export const useIsUnreachable = isAway.use;

/** There was no response, or only one from a proxy. */
export function isUnreachable(error: unknown): boolean {
  return isInnkeeperError(error) && [0, 502, 504].includes(error.status);
}

/** Polls until the service responds in any way; all callers share one poll. */
export function waitForService(): Promise<void> {
  waiting ??= poll().finally(() => {
    waiting = undefined;
    isAway.set(false);
  });
  isAway.set(true);
  return waiting;
}

/**
 * While the service is unreachable, the files of a room cannot load either: without this, the page would load forever.
 */
export function loadWhenReachable<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch(async (error: unknown) => {
      if (await responds()) throw error;
      await waitForService();
      return load();
    });
}

async function poll(): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  while (!(await responds()));
}

async function responds(): Promise<boolean> {
  return api.get('/manage/v1/session').then(
    () => true,
    (error: unknown) => !isUnreachable(error),
  );
}
