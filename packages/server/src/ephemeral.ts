import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication, type NewApplication } from './domain/applications/create-application.ts';
import type { TimeSources } from './domain/clock.ts';
import type { Service } from './domain/service.ts';
import type { Rejection } from './domain/users/import-batches.ts';

/** A service for tests of other programs: real, with its data in a folder that goes when it ends, and a clock that can be moved. */
export type EphemeralOrder =
  | { id: number; do: 'setUp'; name: string; catalog: unknown; users: object[] }
  | { id: number; do: 'reset' }
  | { id: number; do: 'moveClock'; offsetMs: number };

export type EphemeralAnswer = { id: number; result?: unknown; failed?: string };

/** In memory where the system has such a folder: nothing is to be kept. */
export function ephemeralFolder(): Disposable & { databaseUrl: string } {
  let folder: string;
  try {
    folder = mkdtempSync('/dev/shm/innkeeper-');
  } catch {
    folder = mkdtempSync(join(tmpdir(), 'innkeeper-'));
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return { databaseUrl: `sqlite:${join(folder, 'innkeeper.db')}`, [Symbol.dispose]: remove };
}

let offsetMs = 0;

export const movedTime: TimeSources = {
  wall: () => Date.now() + offsetMs,
  monotonic: () => performance.now() + offsetMs,
};

type Part = { appId: number; revision: number; lines: string[]; application: NewApplication };

/** Does what the process above asks for, one order after the other. */
export function takeOrders(service: Service, url: string): void {
  const parts: Part[] = [];
  let before: Promise<unknown> = Promise.resolve();
  const carryOut = async (order: EphemeralOrder): Promise<unknown> => {
    if (order.do === 'setUp') {
      const part = await setUp(service, order);
      parts.push(part);
      return part.application;
    }
    if (order.do === 'reset') {
      offsetMs = 0;
      for (const part of parts) await reset(service, part);
    } else offsetMs = order.offsetMs;
    return {};
  };
  process.on('message', (order: EphemeralOrder) => {
    before = before
      .then(() => carryOut(order))
      .then(
        (result) => process.send?.({ id: order.id, result } satisfies EphemeralAnswer),
        (error: Error) => process.send?.({ id: order.id, failed: error.message } satisfies EphemeralAnswer),
      );
  });
  // Tests that end without a word take their service with them.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.send?.({ id: 0, result: { url } } satisfies EphemeralAnswer);
}

async function setUp(
  service: Service,
  { name, catalog, users }: Extract<EphemeralOrder, { do: 'setUp' }>,
): Promise<Part> {
  const { storage, keyring, now } = service;
  const application = await createApplication(storage, keyring, name, now());
  const appId = Number(application.clientId.split('_')[0]);
  let revision = 0;
  if (catalog !== undefined) {
    const [{ parseCatalogFile }, { publishCatalog }, { showProblem }] = await Promise.all([
      import('./domain/catalog/parse-file.ts'),
      import('./domain/catalog/publish.ts'),
      import('./domain/catalog/source.ts'),
    ]);
    const parsed = parseCatalogFile(typeof catalog === 'string' ? catalog : JSON.stringify(catalog));
    if ('problems' in parsed) throw new Error(parsed.problems.map((each) => showProblem('catalog', each)).join('\n'));
    const how = { author: 'testing', now: now(), allowBreaking: true };
    const published = await publishCatalog(storage, appId, parsed.definition, how);
    if ('revision' in published) revision = published.revision;
  }
  const part = { appId, revision, lines: users.map((user) => JSON.stringify(user)), application };
  await importLines(service, part);
  await service.refresh();
  return part;
}

async function reset(service: Service, part: Part): Promise<void> {
  const { storage, now } = service;
  for (;;) {
    const some = await storage.transfer.exportUsers(part.appId, { after: null, limit: 500 });
    await Promise.all(some.map(({ userId }) => storage.users.delete(part.appId, userId)));
    if (some.length < 500) break;
  }
  const { revision } = await storage.catalogs.load(part.appId);
  if (revision !== part.revision) {
    const { restoreCatalog } = await import('./domain/catalog/publish.ts');
    const how = { author: 'testing', now: now(), allowBreaking: true };
    await restoreCatalog(storage, part.appId, part.revision, how);
    await service.refresh();
  }
  await importLines(service, part);
}

async function importLines({ storage, now }: Service, { appId, lines }: Part): Promise<void> {
  if (lines.length === 0) return;
  const { importUsers } = await import('./domain/users/import-users.ts');
  const rejected: Rejection[] = [];
  const all = async function* () {
    yield lines.map((text, index) => ({ line: index + 1, text }));
  };
  await importUsers(storage, appId, all(), {
    at: now(),
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
