import { makeCatalog } from '../bench/catalog.ts';
import { createApplication, type NewApplication } from '../packages/server/src/domain/applications/application.ts';
import { publishCatalog } from '../packages/server/src/domain/catalog/publish.ts';
import { readDefinition } from '../packages/server/src/domain/catalog/read-definition.ts';
import { createKeyring } from '../packages/server/src/domain/keyring.ts';
import { finish } from '../packages/server/src/domain/slices.ts';
import { storageDriver } from '../packages/server/src/storage/open.ts';
import type { Storage } from '../packages/server/src/storage/port.ts';
import { SECRET } from '../packages/server/test/http/start.ts';

/** Settings of every service in a campaign. Tokens name their issuer, and ports change with every start. */
export const SETTINGS = { secret: SECRET, publicUrl: 'https://users.example.com', logLevel: 'error' };

/**
 * An application with a catalog, by default that of the benchmark, whose tokens outlive every campaign, in a database
 * that may be empty.
 */
export async function setStage(databaseUrl: string, catalog: object = makeCatalog()): Promise<NewApplication> {
  const storage = await (await storageDriver(databaseUrl)).open();
  try {
    const application = await createApplication(storage, createKeyring(SECRET), 'Faults', Date.now());
    const appId = Number(application.clientId.split('_')[0]);
    const day = 86_400;
    await storage.applications.update(appId, { set: { accessTokenTtl: 7 * day, specialTokenTtl: 7 * day } });
    await publish(storage, appId, catalog);
    return application;
  } finally {
    await storage.close();
  }
}

/** Publishes another revision of the catalog, recognizable by the English text of one group. */
export async function publishText(databaseUrl: string, { clientId }: NewApplication, text: string): Promise<void> {
  const storage = await (await storageDriver(databaseUrl)).open();
  try {
    const catalog = makeCatalog();
    for (const group of catalog.groups) if (group.name === 'privacy') group.translations.en = text;
    await publish(storage, Number(clientId.split('_')[0]), catalog);
  } finally {
    await storage.close();
  }
}

async function publish(storage: Storage, appId: number, catalog: object): Promise<void> {
  const read = finish(readDefinition(catalog));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  await publishCatalog(storage, appId, read.definition, { author: 'faults', now: Date.now(), allowBreaking: false });
}
