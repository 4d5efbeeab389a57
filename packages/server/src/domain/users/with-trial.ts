import { randomUUIDv7 } from 'node:crypto';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** Far longer than a trial takes, token service that does not answer included. */
const LONGEST_MS = 5 * 60_000;

export type Trial = { clientUserId: string; clientSecret: string };

/**
 * Lends a clientSecret and the id of a user to make with it. The user is noted before `work` makes it and gone when
 * this returns; where this process ends before that, tidying up removes it (keep-tidy.ts).
 */
export async function withTrial<T>(
  { storage, applications, now }: Service,
  application: Application,
  work: (trial: Trial) => Promise<T>,
): Promise<T> {
  const { appId } = application;
  const clientUserId = `innkeeper-try-${randomUUIDv7()}`;
  if ((await storage.trials.add(appId, clientUserId, now() + LONGEST_MS)) === 'application-gone') {
    throw new InnkeeperError('applicationNotFound');
  }
  try {
    return await applications.lendSecret(application, (clientSecret) => work({ clientUserId, clientSecret }));
  } finally {
    // The result is returned anyway: housekeeping deletes the user later.
    await storage.trials.end(appId, clientUserId).catch(() => {});
  }
}
