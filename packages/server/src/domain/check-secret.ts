import type { Storage } from '../storage/port.ts';
import type { Keyring } from './keyring.ts';

export class WrongSecret extends Error {
  override name = 'WrongSecret';
}

/** The fact that a database keeps of its secret. */
export const SECRET_FACT = 'secret-check';

/** Everything hashed or sealed in a database depends on its INNKEEPER_SECRET: better no start than one where nothing matches. */
export async function checkSecret(storage: Storage, keyring: Keyring): Promise<void> {
  const sealed = await storage.facts.settle(SECRET_FACT, keyring.seal(Buffer.from('innkeeper')));
  if (keyring.unseal(sealed)) return;
  throw new WrongSecret(
    'INNKEEPER_SECRET does not match this database: stored secrets and tokens would not work. ' +
      'Set the original secret; with SQLite it is in the .secret file next to the database.',
  );
}
