import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver, tryWrite } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { NOW } from './examples.ts';

describe.each(databases)('a test write on $kind', (database) => {
  let url: string;
  let storage: Storage;
  beforeAll(async () => {
    url = await database.fresh();
    storage = await (await storageDriver(url)).open();
  });
  afterAll(() => storage.close());

  test('is a real one every time, beside a running server', async () => {
    await tryWrite(url, NOW);
    const first = await storage.facts.get('doctor');
    expect(first).toBe(new Date(NOW).toISOString());
    await tryWrite(url, NOW + 1);
    expect(await storage.facts.get('doctor')).toBe(new Date(NOW + 1).toISOString());
  });

  test('fails if nothing can be written', async () => {
    const refusal = {
      sqlite: "create trigger full_disk before update on facts begin select raise(fail, 'the disk is full'); end",
      postgres: `create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$;
        create trigger full_disk before update on facts for each row execute function refuse()`,
    };
    await database.execute(url, refusal[database.kind]);
    await expect(tryWrite(url, NOW + 2)).rejects.toThrow('the disk is full');
    expect(await storage.facts.get('doctor')).toBe(new Date(NOW + 1).toISOString());
  });
});
