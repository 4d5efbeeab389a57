import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { uniqueName } from '../http/start.ts';
import { commandLine } from './run-innkeeper.ts';

// In real processes, as operators run them.
describe.each(databases)('the audit log of the command line on $kind', ({ fresh }) => {
  let cli: ReturnType<typeof commandLine>;
  let storage: Storage;
  beforeAll(async () => {
    const url = await fresh();
    cli = commandLine(url);
    storage = await (await storageDriver(url)).open();
  });
  afterAll(() => storage?.close());

  test("a command's changes are audited, with the user who ran it", async () => {
    const { clientId } = await cli.json('app', 'create', '--name', 'Acme');
    const users = join(inject('scratchFolder'), `${uniqueName()}.ndjson`);
    await writeFile(users, '{"clientUserId":"a","clientUserName":"A"}\n{"clientUserId":"b","clientUserName":"B"}\n');
    await cli.json('app', 'set', clientId, 'accessTokenTtl=2h');
    await cli.json('users', 'import', users, '--app', clientId);
    const exported = join(inject('scratchFolder'), `${uniqueName()}.ndjson`);
    await cli.json('users', 'export', '--app', clientId, '--output', exported);
    await cli.json('admin', 'create', '--email', 'ada@example.com');
    const appId = Number(clientId.split('_')[0]);
    const all = { before: null, limit: 100 };
    const reported = await storage.audit.list(appId, {}, all);
    expect(reported.map(({ action, after }) => [action, JSON.parse(after as string)])).toEqual([
      ['users.exported', { users: 2 }],
      ['users.imported', { created: 2, adopted: 0, updated: 0, profilesOnly: 0 }],
      ['application.changed', { accessTokenTtl: 7200 }],
      ['application.created', { clientId, name: 'Acme' }],
    ]);
    expect(reported.every(({ actor }) => /^cli(:|$)/.test(actor))).toBe(true);
    expect(await storage.audit.list(null, {}, all)).toMatchObject([
      { action: 'account.created', subject: 'ada@example.com' },
    ]);
    await cli.json('app', 'delete', clientId, '--yes');
    expect((await storage.audit.list(null, {}, all))[0]).toMatchObject({
      action: 'application.deleted',
      subject: 'Acme',
      before: JSON.stringify({ clientId, name: 'Acme' }),
    });
  });
});
