import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { times } from './examples.ts';

describe.each(databases)('facts on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('the first writer wins, and every writer gets the same answer', async () => {
    expect(await storage.facts.get('demo')).toBeUndefined();
    expect(await storage.facts.settle('demo', 'made')).toBe('made');
    expect(await storage.facts.settle('demo', 'made again')).toBe('made');
    expect(await storage.facts.get('demo')).toBe('made');
  });

  test('also with many concurrent writers', async () => {
    const answers = await Promise.all(times(30, (i) => storage.facts.settle('raced', `writer ${i}`)));
    expect(new Set(answers).size).toBe(1);
    expect(await storage.facts.get('raced')).toBe(answers[0]);
  });

  test('a value is replaced only if it is the expected one', async () => {
    await storage.facts.settle('mark', 'one');
    const answers = await Promise.all(times(10, (i) => storage.facts.replace('mark', 'one', `two ${i}`)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await storage.facts.get('mark')).toBe(`two ${answers.indexOf(true)}`);
    expect(await storage.facts.replace('missing', 'one', 'two')).toBe(false);
    expect(await storage.facts.get('missing')).toBeUndefined();
  });

  test('names are compared exactly', async () => {
    await storage.facts.settle('Name', 'upper');
    expect(await storage.facts.get('name')).toBeUndefined();
  });
});
