import { createApplication, type NewApplication } from './domain/applications/application.ts';
import { readChange, toUpdate } from './domain/applications/settings.ts';
import type { CatalogDefinition } from './domain/catalog/definition.ts';
import { publishCatalog, restoreCatalog } from './domain/catalog/publish.ts';
import { readDefinition } from './domain/catalog/read-definition.ts';
import { showPath, showProblem } from './domain/catalog/source.ts';
import type { Service } from './domain/service.ts';
import { finish } from './domain/slices.ts';
import { importUsers, type Rejection } from './domain/users/import-users.ts';
import { moveTime } from './ephemeral.ts';

/** A real service for other programs' tests: its data is in a temporary folder, and its clock can be moved. */
export type EphemeralCommand =
  | { id: number; do: 'setUp'; name: string; catalog: unknown; users: object[]; settings: Record<string, unknown> }
  | { id: number; do: 'signIn'; clientId: string; clientUserId: string; clientUserName: string }
  | { id: number; do: 'reset' }
  | { id: number; do: 'moveClock'; offsetMs: number };

export type EphemeralResponse = { id: number; result?: unknown; failed?: string };

type Part = { appId: number; revision: number; lines: string[]; application: NewApplication };

/** Runs commands from the parent process one at a time. */
export function runCommands(service: Service, url: string): void {
  const parts: Part[] = [];
  let before: Promise<unknown> = Promise.resolve();
  const execute = async (command: EphemeralCommand): Promise<unknown> => {
    if (command.do === 'setUp') {
      const part = await setUp(service, command);
      parts.push(part);
      return part.application;
    }
    if (command.do === 'signIn') {
      const part = parts.find(({ application }) => application.clientId === command.clientId) as Part;
      return signIn(url, part.application, command);
    }
    if (command.do === 'reset') {
      moveTime(0);
      for (const part of parts) await reset(service, part);
    } else moveTime(command.offsetMs);
    return {};
  };
  process.on('message', (command: EphemeralCommand) => {
    before = before
      .then(() => execute(command))
      .then(
        (result) => process.send?.({ id: command.id, result } satisfies EphemeralResponse),
        (error: Error) => process.send?.({ id: command.id, failed: error.message } satisfies EphemeralResponse),
      );
  });
  // A test process that exits without closing the service takes it down with it.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.send?.({ id: 0, result: { url } } satisfies EphemeralResponse);
}

async function setUp(
  service: Service,
  { name, catalog, users, settings }: Extract<EphemeralCommand, { do: 'setUp' }>,
): Promise<Part> {
  const { storage, keyring, now } = service;
  const application = await createApplication(storage, keyring, name, now());
  const appId = Number(application.clientId.split('_')[0]);
  const read = readChange(Object.entries(settings));
  if ('problems' in read)
    throw new Error(read.problems.map((each) => `settings.${each.field} ${each.message}`).join('\n'));
  await storage.applications.update(appId, toUpdate(read.change));
  let revision = 0;
  if (catalog !== undefined) {
    const definition = await readGiven(catalog);
    const how = { author: 'testing', now: now(), allowBreaking: true };
    const published = await publishCatalog(storage, appId, definition, how);
    if ('revision' in published) revision = published.revision;
  }
  const part = { appId, revision, lines: users.map((user) => JSON.stringify(user)), application };
  await service.refresh();
  await importLines(service, part);
  return part;
}

/** Like an application's back end, over HTTP: in a page's test environment, `fetch` refuses what pages must not do. */
async function signIn(
  url: string,
  { clientId, clientSecret }: NewApplication,
  { clientUserId, clientUserName }: { clientUserId: string; clientUserName: string },
): Promise<object> {
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const user = { clientId, clientSecret, clientUserId };
  let made = await post('/api/v2/app/create-user', { ...user, clientUserName });
  if (made.code === '0001') made = await post('/api/v2/app/special-token', user);
  if (made.specialToken === undefined) throw new Error(`${made.code} ${made.message}`);
  const granted = await post('/oauth/v2/get-access-token', { clientSecret, specialToken: made.specialToken });
  return { access_token: granted.access_token, service_user_code: made.service_user_code };
}

/** Only a text has lines to refer to, and may need the YAML parser. */
async function readGiven(catalog: unknown): Promise<CatalogDefinition> {
  if (typeof catalog === 'string') {
    const { parseCatalogFile } = await import('./domain/catalog/parse-file.ts');
    const parsed = parseCatalogFile(catalog);
    if ('definition' in parsed) return parsed.definition;
    throw new Error(parsed.problems.map((each) => showProblem('catalog', each)).join('\n'));
  }
  const read = finish(readDefinition(catalog));
  if ('definition' in read) return read.definition;
  throw new Error(read.problems.map(({ path, message }) => `catalog ${showPath(path)} ${message}`).join('\n'));
}

async function reset(service: Service, part: Part): Promise<void> {
  const { storage, now } = service;
  for (;;) {
    const { users, next } = await storage.transfer.exportUsers(part.appId, { after: null, limit: 500 });
    await Promise.all(users.map(({ userId }) => storage.users.delete(part.appId, userId)));
    if (next === null) break;
  }
  // Use the compiled catalog in memory: reading a large one takes longer than everything else.
  await service.refresh();
  const { revision } = await service.catalogs.get(part.appId);
  if (revision !== part.revision) {
    const how = { author: 'testing', now: now(), allowBreaking: true };
    await restoreCatalog(storage, part.appId, part.revision, how);
    await service.refresh();
  }
  await importLines(service, part);
}

async function importLines({ storage, catalogs, now }: Service, { appId, lines }: Part): Promise<void> {
  if (lines.length === 0) return;
  const rejected: Rejection[] = [];
  const all = async function* () {
    yield lines.map((text, index) => ({ line: index + 1, text }));
  };
  await importUsers(storage, appId, all(), {
    at: now(),
    catalog: await catalogs.get(appId),
    ifThere: 'compare',
    newCodes: false,
    withRetired: true,
    restoreDeleted: true,
    onRejected: (rejection) => rejected.push(rejection),
  });
  if (rejected.length > 0)
    throw new Error(
      rejected.map(({ line, field, reason }) => `users[${line - 1}].${field ?? ''} ${reason}`).join('\n'),
    );
}
