import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalog, type Scalar } from '../../src/domain/catalog/catalog.ts';
import { compileCatalog } from '../../src/domain/catalog/compile.ts';
import { migrateValues, planMigration } from '../../src/domain/catalog/migrate-values.ts';
import { finish } from '../../src/domain/slices.ts';
import { createUser } from '../contract/examples.ts';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { editor } from './manage.ts';

/** MIGRATIONS=1000 runs the long form. */
const RUNS = Number(process.env.MIGRATIONS ?? 100);
const VALUES = ['a', 'b', 'c', 'd'];
const FILE = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'g',
      keys: [
        { name: 'one', type: 'string', values: [...VALUES, { value: 'old', retired: true, replacement: 'a' }] },
        { name: 'many', type: 'string', multiple: true, values: [...VALUES, { value: 'old', retired: true }] },
        { name: 'size', type: 'integer', values: [1, 2, 3] },
        { name: 'open', type: 'string' },
      ],
    },
  ],
};

describe.each(databases)('migrations of values on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  async function make() {
    const made = await editor(server, FILE);
    const { storage } = server.service;
    const { appId } = made.application;
    const catalog = finish(compileCatalog(finish(readCatalog(await storage.catalogs.load(appId)))));
    const placedOf = (name: string) => {
      const placed = [...catalog.keyByNo.values()].find(({ key }) => key.name === name);
      if (!placed) throw new Error(`no key ${name}`);
      return placed;
    };
    const save = async (name: string, userId: string, value: Scalar | Scalar[]) => {
      const { keyNo } = placedOf(name).key;
      const selection = {
        selectionId: crypto.randomUUID(),
        keyNo,
        revision: 1,
        value: JSON.stringify(value),
        language: null,
      };
      await storage.selections.save(appId, userId, [selection], { at: 1, authMethod: 'import' });
    };
    const held = async (name: string, userId: string) => {
      const { keyNo } = placedOf(name).key;
      const record = (await storage.selections.list(userId)).find((each) => each.keyNo === keyNo);
      return record && (JSON.parse(record.value) as Scalar | Scalar[]);
    };
    return { ...made, appId, catalog, placedOf, save, held };
  }

  test('the plan matches the result, for lists and single values, and a second run does nothing', async () => {
    const { appId, catalog, placedOf, save, held } = await make();
    const { storage, now } = server.service;
    const users = await Promise.all(Array.from({ length: 12 }, () => createUser(storage, appId)));
    const all = [...VALUES, 'old'];
    const choice = fc.option(fc.constantFrom(...all), { nil: undefined });
    const list = fc.option(fc.subarray(all), { nil: undefined });
    const choices = fc.array(fc.tuple(choice, list), { minLength: 1, maxLength: users.length });
    const pair = fc.tuple(fc.constantFrom(...all), fc.constantFrom(...VALUES)).filter(([from, to]) => from !== to);
    await fc.assert(
      fc.asyncProperty(choices, pair, fc.boolean(), async (given, [from, to], isKilled) => {
        for (const [index, [one, many]] of given.entries()) {
          const userId = users[index]?.userId as string;
          if (one !== undefined) await save('one', userId, one);
          if (many !== undefined) await save('many', userId, many);
        }
        for (const name of ['one', 'many']) {
          const before = await Promise.all(users.map(({ userId }) => held(name, userId)));
          const wanted = { placed: placedOf(name), from, to };
          const { selections } = await planMigration(storage, appId, wanted);
          expect(selections).toBe(before.filter((value) => [value ?? []].flat().includes(from)).length);
          let left = isKilled ? 1 : Number.POSITIVE_INFINITY;
          const run = { now, actor: 'test' };
          // One migration ends midway, as if killed; another one completes it.
          const first = await migrateValues(storage, appId, catalog, wanted, { ...run, isOver: () => left-- <= 0 });
          const second = await migrateValues(storage, appId, catalog, wanted, run);
          expect(first.migrated + second.migrated).toBe(selections);
          expect(second.remaining).toBe(0);
          const after = await Promise.all(users.map(({ userId }) => held(name, userId)));
          expect(after).toEqual(
            before.map((value) => {
              if (!Array.isArray(value)) return value === from ? to : value;
              const replaced = new Set(value.map((each) => (each === from ? to : each)));
              return value.includes(from) ? all.filter((each) => replaced.has(each)) : value;
            }),
          );
        }
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  test('over /manage/v1: counted, migrated, in history and audit; rejected with a reason', async () => {
    const { application, placedOf, save, held, send, get, key } = await make();
    const users = await Promise.all(Array.from({ length: 3 }, () => makeSignedInUser(server, application)));
    for (const { userCode } of users) await save('one', userCode, 'old');
    const { keyUid } = placedOf('one').key;
    const migrate = (body: unknown, uid = keyUid) => send('POST', `/catalog/keys/${uid}/migrate`, body);
    expect(await migrate({ from: 'old', to: 'a', dryRun: true })).toMatchObject({
      status: 200,
      json: { keyUid, planned: 3, migrated: 0, remaining: 3 },
    });
    expect(await held('one', users[0]?.userCode as string)).toBe('old');
    expect((await migrate({ from: 'old', to: 'a' })).json).toMatchObject({ planned: 3, migrated: 3, remaining: 0 });
    expect((await migrate({ from: 'old', to: 'a' })).json).toMatchObject({ planned: 0, migrated: 0, remaining: 0 });
    expect(await held('one', users[0]?.userCode as string)).toBe('a');
    const history = (await get(`/users/${users[0]?.userCode}/history`)).json.items as Wire[];
    expect(history[0]).toMatchObject({ action: 'save', by: 'manage', fromValue: 'old', toValue: 'a' });
    const audit = (await get('/audit?limit=20')).json.items as Wire[];
    expect(audit.filter(({ action }) => action === 'selections.migrated')).toMatchObject([
      { subject: 'g/one', before: { from: 'old', to: 'a' }, after: { selections: 3 } },
    ]);

    const open = await key('open');
    const size = await key('size');
    for (const [body, uid, field] of [
      [{ to: 'a' }, keyUid, 'from'],
      [{ from: 'a', to: [] }, keyUid, 'to'],
      [{ from: 'a', to: 'nothing' }, keyUid, 'to'],
      [{ from: 'a', to: 'old' }, keyUid, 'to'],
      [{ from: 'a', to: 'a' }, keyUid, 'to'],
      [{ from: 'a', to: 'b', dryRun: 1 }, keyUid, 'dryRun'],
      [{ from: '1', to: 2 }, size.keyUid, 'from'],
      [{ from: 'a', to: 'b' }, open.keyUid, 'key'],
    ] as const) {
      const answer = await migrate(body, uid);
      expect([answer.status, (answer.json.errors as Wire[])[0]?.field]).toEqual([400, field]);
    }
    expect((await migrate({ from: 'a', to: 'b' }, '00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });
});
