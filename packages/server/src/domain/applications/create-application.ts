import type { Storage } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import { makeClientId, makeClientSecret, makeSecretRecord } from './application.ts';

export type NewApplication = { clientId: string; clientSecret: string; name: string };

/** The clientSecret is only in this result: just its hash is stored. */
export async function createApplication(
  storage: Storage,
  keyring: Keyring,
  name: string,
  now: number,
): Promise<NewApplication> {
  const clientSecret = makeClientSecret();
  for (;;) {
    const { appId, clientId } = makeClientId();
    const secrets = [makeSecretRecord(keyring, clientSecret, now)];
    const outcome = await storage.applications.create({ appId, clientId, name, settings: {}, createdAt: now, secrets });
    if (outcome === 'created') return { clientId, clientSecret, name };
  }
}
