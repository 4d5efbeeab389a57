import { copyFileSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { DatabaseDamaged, type Storage } from '../../src/storage/port.ts';
import { createApplication, createUser } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';
import { scratchFile } from '../scratch-file.ts';
import { emptyLog } from './damage-file.ts';

/** `cp` writes into the open file, which stays the same file, and SQLite does not check for that. */
describe('an older file copied onto the open one', () => {
  let storage: Storage;
  let path: string;
  let appId: number;
  const older = scratchFile('db');
  beforeEach(async () => {
    const url = await sqlite.fresh();
    path = url.slice('sqlite:'.length);
    storage = await (await storageDriver(url)).open();
    appId = await createApplication(storage);
    emptyLog(path);
    copyFileSync(path, older);
    // Many more pages than background writes add to the log meanwhile.
    const clientUserName = 'x'.repeat(250);
    await Promise.all(Array.from({ length: 900 }, () => createUser(storage, appId, { clientUserName })));
    const logBytes = () => storage.figures().logBytes;
    // Wait until everything is in the file and its size has been noticed.
    await vi.waitFor(() => expect(logBytes()).toBeGreaterThan(0), 10_000);
    emptyLog(path);
    await vi.waitFor(() => expect(logBytes()).toBe(0), 10_000);
    expect(statSync(path).size).toBeGreaterThan(statSync(older).size);
    // After another process has emptied the log, SQLite reads the database's size again: here, before the file is
    // overwritten.
    await createUser(storage, appId);
  });
  afterEach(() => storage.close());
  const message = expect.stringMatching(/is damaged.*innkeeper restore/);
  const problems = [{ kind: 'corruption', effect: 'down', message }];

  test('nothing more is acknowledged, although the older file is intact', async () => {
    copyFileSync(older, path);
    for (const _ of [1, 2]) await expect(createUser(storage, appId)).rejects.toThrow(DatabaseDamaged);
    expect(storage.problems()).toEqual(problems);
    expect(storage.problems()[0]?.message).toContain('another program wrote into it');
  });

  test('it is checked immediately, without a write', async () => {
    copyFileSync(older, path);
    await vi.waitFor(() => expect(storage.problems()).toEqual(problems), 20_000);
    await expect(createUser(storage, appId)).rejects.toThrow(DatabaseDamaged);
  });
});
