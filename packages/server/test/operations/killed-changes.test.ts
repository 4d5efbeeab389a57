import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../../src/domain/keyring.ts';
import { createManageToken } from '../../src/domain/manage/authorize-manager.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { AuditEntry, Storage } from '../../src/storage/port.ts';
import { bin, environment } from '../cli/run-innkeeper.ts';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { send } from './load.ts';
import { endAll, makeApplication, serve } from './serve-process.ts';

const CLIENTS = 8;
const LINES = 200_000;

describe.each(databases)('a process that is killed on $kind', (database) => {
  let storage: Storage;
  afterEach(async () => {
    await endAll();
    await storage?.close();
  });

  const begin = async () => {
    const databaseUrl = await database.fresh();
    const { clientId } = await makeApplication(databaseUrl);
    storage = await (await storageDriver(databaseUrl)).open();
    return { databaseUrl, clientId, appId: Number(clientId.split('_')[0]) };
  };
  const entries = (appId: number): Promise<AuditEntry[]> =>
    storage.audit.list(appId, {}, { before: null, limit: 100_000 });

  test('leaves an entry for every change, and none for a change that did not happen', async () => {
    const { databaseUrl, clientId, appId } = await begin();
    const wanted = { name: 'ci', accountId: null, appIds: null, access: 'own', lifetimeSeconds: 3600 } as const;
    const made = await createManageToken(storage, createKeyring(SECRET), wanted, Date.now());
    const server = await serve({ settings: { databaseUrl, secret: SECRET, logLevel: 'fatal' } });
    const acknowledged: string[] = [];
    let sent = 0;
    const change = async (): Promise<void> => {
      for (;;) {
        const name = `Name ${sent++}`;
        const headers = { authorization: `Bearer ${made?.token}` };
        const url = `${server.url}/manage/v1/applications/${clientId}`;
        const outcome = await send('PATCH', url, { name }, { headers });
        if (outcome.kind !== 'answered') return;
        expect(outcome).toMatchObject({ status: 200 });
        acknowledged.push(name);
        if (acknowledged.length === 150) server.signal('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, change));

    const reported = (await entries(appId)).flatMap(({ action, after }) =>
      action === 'application.changed' ? [(JSON.parse(after as string) as { name: string }).name] : [],
    );
    expect(acknowledged.filter((name) => !reported.includes(name))).toEqual([]);
    const [application] = await storage.applications.list([appId]);
    expect(reported[0]).toBe(application?.name);
    expect(reported.length).toBeLessThanOrEqual(sent);
  });

  test('an import has an entry with its counts', async () => {
    const { databaseUrl, clientId, appId } = await begin();
    const file = scratchFile('ndjson');
    const line = (_: unknown, index: number): string =>
      JSON.stringify({ clientUserId: `user ${index}`, clientUserName: 'A', profileOnly: index % 10 === 0 });
    await writeFile(file, Array.from({ length: LINES }, line).join('\n'));
    const settings = { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET };
    const importing = spawn(process.execPath, [bin, 'users', 'import', file, '--app', clientId], {
      env: { ...environment(), ...settings },
      stdio: 'ignore',
    });
    const ended = once(importing, 'exit');
    await expect
      .poll(() => storage.applications.countUsers(appId), { interval: 5, timeout: 60_000 })
      .toBeGreaterThan(0);
    importing.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);

    const [entry, ...others] = await entries(appId);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ action: 'users.imported' });
    const { created, profilesOnly } = JSON.parse(entry?.after as string) as Record<string, number>;
    expect(created).toBe(await storage.applications.countUsers(appId));
    expect((created ?? 0) + (profilesOnly ?? 0)).toBeLessThan(LINES);
  });
});
