import { type Config, isWeakSecret, readConfig, type Settings } from '../config.ts';
import { actingAs } from '../domain/audit/actor.ts';
import { auditedStorage } from '../domain/audit/audited-storage.ts';
import { checkSecret } from '../domain/check-secret.ts';
import { createKeyring, type Keyring } from '../domain/keyring.ts';
import type { ApplicationRecord, Storage } from '../storage/port.ts';
import { cliAuthor } from './catalog-options.ts';
import { Failure } from './failure.ts';

export type OpenStorage = { storage: Storage; keyring: Keyring; config: Config };

/** Opens the database of these settings beside a server that may be running on it, and lets go of it at the end. */
export async function withStorage<T>(settings: Settings, use: (open: OpenStorage) => Promise<T>): Promise<T> {
  const config = readConfig(settings);
  const { storageDriver } = await import('../storage/open.ts');
  const storage = await (await storageDriver(config.databaseUrl)).open();
  try {
    const keyring = createKeyring(config.secret);
    // A database keeps the secret it was first used with, and `serve` refuses a weak one: taken here, it would be a trap.
    if (isWeakSecret(config.secret) && (await storage.facts.get('secret-check')) === undefined) {
      throw new Failure('INNKEEPER_SECRET is weak, and a new database would be bound to it.', {
        wayOut: 'Make one with: openssl rand -base64 48',
      });
    }
    await checkSecret(storage, keyring);
    const audited = auditedStorage(storage, (error) => {
      process.stderr.write(`innkeeper: it was done, but could not be told in the audit: ${(error as Error).message}\n`);
    });
    return await actingAs(cliAuthor(), () => use({ storage: audited, keyring, config }));
  } finally {
    await storage.close();
  }
}

export async function findApplication(storage: Storage, clientId: string): Promise<ApplicationRecord> {
  const application = await storage.applications.findByClientId(clientId);
  if (!application) throw unknownApplication(clientId);
  return application;
}

export function unknownApplication(clientId: string): Failure {
  return new Failure(`there is no application with the clientId "${clientId}" in this database.`, {
    wayOut: 'See them all with: innkeeper app list',
  });
}
