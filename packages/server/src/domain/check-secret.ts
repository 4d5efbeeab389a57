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
    'INNKEEPER_SECRET is not the one this database was made with: no stored secret or token would match. ' +
      'Set the original one (beside an embedded database it is kept in the file that ends in .secret).',
  );
}
