import type { Storage } from '../storage/port.ts';
import type { MasterSecret, SecretCheck } from './keyring.ts';

export class WrongSecret extends Error {
  override name = 'WrongSecret';
}

/** The name of the fact with which a database recognizes its secret. */
export const SECRET_FACT = 'secret-check';

export type SecretState = SecretCheck & { under: 'current' | 'previous' };

/**
 * Everything hashed or sealed in a database depends on its INNKEEPER_SECRET. With the wrong one nothing would match, so
 * the service refuses to start.
 */
export async function checkSecret(storage: Storage, { master }: { master: MasterSecret }): Promise<SecretState> {
  const { facts } = storage;
  // Read first: a read replica has the fact and accepts no writes.
  const stored = (await facts.get(SECRET_FACT)) ?? (await facts.settle(SECRET_FACT, master.firstCheck()));
  const state = master.adopt(stored);
  const problem = secretProblem(state, master);
  if (!state || problem !== undefined) throw new WrongSecret(problem);
  return state;
}

/** What is wrong with these secrets for a database in this state, then what to do. */
export function secretProblem(state: SecretState | undefined, { previousId }: MasterSecret): string | undefined {
  if (!state) {
    return previousId === undefined
      ? 'INNKEEPER_SECRET does not match this database: stored secrets and tokens would not work. ' +
          'Set the original secret, or the new one if it was rotated; with SQLite it is in the .secret file next to the database.'
      : 'INNKEEPER_SECRET does not match this database, nor does INNKEEPER_SECRET_PREVIOUS: stored secrets and tokens would not work. ' +
          'Set INNKEEPER_SECRET_PREVIOUS to the secret that the database was last used with.';
  }
  if (state.under === 'previous') return undefined;
  if (previousId === undefined) {
    return state.rotatedAt !== undefined && !state.isResealed
      ? 'INNKEEPER_SECRET_PREVIOUS is still needed: the rotation of the secret has not finished, and some data is sealed under the previous one. ' +
          'Set it again, then run: innkeeper secret rotate'
      : undefined;
  }
  if (state.previousId === previousId) return undefined;
  return (
    'INNKEEPER_SECRET_PREVIOUS has never been the secret of this database, or not the last one before INNKEEPER_SECRET. ' +
    'Remove it (with SQLite, the .secret.previous file); or, if it is the new secret, swap the two.'
  );
}
