import { CatalogDirectory } from '../domain/catalog/directory.ts';
import type { ExportSource } from '../http/manage/export-user.ts';
import { SigningKeys } from '../tokens/keys.ts';
import type { OpenStorage } from './with-storage.ts';

/** The parts of a service that exports and links need, on an open database. */
export function userSource({
  storage,
  keyring,
  config,
  now,
}: OpenStorage): ExportSource & Pick<OpenStorage, 'keyring'> {
  const keys = new SigningKeys(storage.signingKeys, keyring, { now, certain: now, isTrusted: true });
  return {
    storage,
    keyring,
    now,
    catalogs: new CatalogDirectory(storage),
    publicUrl: config.publicUrl,
    async signReceipt(algorithm, claims) {
      await keys.load();
      return (await keys.signer('receipt+jwt', algorithm))(claims);
    },
  };
}
