import { randomUUIDv7 } from 'node:crypto';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** Far longer than a trial takes, even if the token service does not respond. */
const MAX_MS = 5 * 60_000;

export type Trial = { clientUserId: string; clientSecret: string };

/**
 * Lends a clientSecret and the id for a new user. The user is recorded before `work` creates it and deleted when this
 * returns; if this process dies before that, housekeeping deletes it (maintenance.ts).
 */
export async function withTrial<T>(
  { storage, applications, now }: Service,
  application: Application,
  work: (trial: Trial) => Promise<T>,
): Promise<T> {
  const { appId } = application;
  const clientUserId = `innkeeper-try-${randomUUIDv7()}`;
  if ((await storage.trials.add(appId, clientUserId, now() + MAX_MS)) === 'application-gone') {
    throw new InnkeeperError('applicationNotFound');
  }
  try {
    return await applications.lendSecret(application, (clientSecret) => work({ clientUserId, clientSecret }));
  } finally {
    // The result is returned anyway: housekeeping deletes the user later.
    await storage.trials.end(appId, clientUserId).catch(() => {});
  }
}
