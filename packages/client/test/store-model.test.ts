import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CatalogFile } from '../../server/src/domain/catalog/file-schema.ts';
import { databases } from '../../server/test/databases.ts';
import { withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../../server/test/http/start.ts';
import { createOptionsClient, createSelectionStore, type OptionState } from '../src/index.ts';
import { createUsersClient, type UsersClient } from '../src/users.ts';
import { FAULT_NAMES, FAULTS, type FaultProxy, gate, isRead, isSave, startFaultProxy } from './fault-proxy.ts';

/** STORE_SEQUENCES=500 runs the long form. */
const SEQUENCES = Number(process.env.STORE_SEQUENCES ?? 12);

const catalogWith = (most: number): CatalogFile => ({
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'all',
      keys: [
        // Each page has a key of its own; both change the others.
        { name: 'first', type: 'integer', default: 5, constraint: { min: 0, max: most } },
        { name: 'second', type: 'integer', constraint: { min: 0, max: most } },
        { name: 'shared', type: 'integer', default: 5, constraint: { min: 0, max: most } },
        { name: 'list', type: 'string', multiple: true, default: ['a'], values: ['a', 'b', 'c', 'd'] },
      ],
    },
  ],
});

let server: TestServer;
let proxy: FaultProxy;
let shop: Awaited<ReturnType<typeof withCatalog>>;
let users: UsersClient;
beforeAll(async () => {
  server = await startTestServer((await databases[0]?.fresh()) as string);
  proxy = await startFaultProxy(server.url);
  shop = await withCatalog(server, catalogWith(100));
  users = createUsersClient({ baseUrl: server.url, ...shop.application });
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});

const page = fc.constantFrom(0, 1);
const key = fc.constantFrom('own', 'shared');
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('set' as const), page, key, value: fc.integer({ min: 0, max: 20 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('toggle' as const), page, box: fc.constantFrom('a', 'b', 'c', 'd') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unset' as const), page, key }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      of: fc.constantFrom('save', 'read'),
      kind: fc.constantFrom(...FAULT_NAMES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refresh' as const), page }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const), page, key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('elsewhere' as const), value: fc.integer({ min: 0, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('token' as const), page }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('publish' as const), most: fc.constantFrom(10, 100) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function run(steps: readonly Step[]): Promise<void> {
  const user = { clientUserId: uniqueName(), clientUserName: 'Ada' };
  const granted = await users.signIn(user);
  const connect = (accessToken: string) =>
    createOptionsClient({ baseUrl: proxy.url, apiKey: shop.application.clientId, accessToken, timeout: 0, retries: 0 });
  const stores = [0, 1].map(() => createSelectionStore(connect(granted.access_token), { userId: 'ada' }));
  proxy.reset();
  await Promise.all(stores.map((store) => store.refresh()));
  const theirs = users.optionsOf(granted.service_user_code);
  const nameOf = (of: number, which: string) => `all.${which === 'own' ? ['first', 'second'][of] : which}`;

  const gates: ReturnType<typeof gate>[] = [];
  const running: Promise<unknown>[] = [];
  const chosen = new Map<string, Set<unknown>>();
  /** By key that only one page changes: the last value chosen, and the outcome that was reported. */
  const last = new Map<string, { value: unknown; result: Promise<OptionState> }>();
  const choose = (name: string, value: unknown) => chosen.set(name, (chosen.get(name) ?? new Set()).add(value));
  const release = () => {
    for (const each of gates.splice(0)) each.open();
  };
  const settle = async () => {
    release();
    await Promise.all(running.splice(0));
    await proxy.settled();
  };
  const faultOf = (kind: keyof typeof FAULTS) => {
    const held = gate();
    gates.push(held);
    return FAULTS[kind](held.opened);
  };

  for (const each of steps) {
    if (each.do === 'fault') proxy.plan(each.of === 'save' ? isSave : isRead, faultOf(each.kind));
    else if (each.do === 'release') release();
    else if (each.do === 'settle') await settle();
    else if (each.do === 'publish') {
      await shop.publish(catalogWith(each.most));
      await server.service.refresh();
    } else if (each.do === 'elsewhere') {
      choose('all.shared', each.value);
      await theirs.save('all.shared', each.value).catch(() => {});
    } else {
      const store = stores[each.page] as (typeof stores)[number];
      if (each.do === 'refresh') running.push(store.refresh().catch(() => {}));
      else if (each.do === 'token') store.setClient(connect((await users.signIn(user)).access_token));
      else if (each.do === 'toggle') {
        const before = [store.get('all.list').value ?? []].flat();
        const isIn = before.includes(each.box);
        choose(isIn ? 'removed' : 'added', each.box);
        const next = isIn ? before.filter((value) => value !== each.box) : [...before, each.box];
        running.push(store.set('all.list', next));
        expect([store.get('all.list').value].flat().includes(each.box)).toBe(!isIn);
      } else {
        const name = nameOf(each.page, each.key);
        const value = each.do === 'set' ? each.value : undefined;
        if (each.do === 'retry') {
          const { failed } = store.get(name);
          if (failed) last.set(name, { value: failed.value, result: store.retry(name) });
        } else {
          choose(name, value);
          last.set(name, { value, result: value === undefined ? store.unset(name) : store.set(name, value) });
          // Shown immediately.
          if (value !== undefined) expect(store.get(name).value).toBe(value);
        }
        const result = last.get(name)?.result;
        if (result) running.push(result);
      }
    }
  }
  proxy.clearPlans();
  await settle();
  await shop.publish(catalogWith(100));
  await server.service.refresh();
  for (const store of stores) await store.refresh();
  for (const store of stores) expect(store.pending()).toEqual([]);

  const effective = await theirs.selections({ effective: true }).all();
  const now = Object.fromEntries(effective.map(({ option }) => [`all.${option.name}`, option.value]));
  for (const store of stores) {
    for (const name of ['all.first', 'all.second', 'all.shared', 'all.list']) {
      expect([name, store.get(name).value]).toEqual([name, now[name]]);
    }
  }
  for (const [name, { value, result }] of last) {
    const { error } = await result;
    // Saved as chosen, unless an error was reported.
    if (!error && name !== 'all.shared')
      expect([name, now[name]]).toEqual([name, value ?? (name === 'all.first' ? 5 : undefined)]);
  }
  // The history only contains values that somebody chose.
  for (const { option, user_options_uid, source } of effective as {
    option: { name: string };
    user_options_uid: string | null;
    source?: string;
  }[]) {
    if (!user_options_uid || source === 'default') continue;
    const name = `all.${option.name}`;
    for (const { to_value: value } of await theirs.history(user_options_uid).all()) {
      if (name !== 'all.list') expect([...(chosen.get(name) ?? [])]).toContain(value ?? undefined);
      else for (const box of [value ?? []].flat()) expect(['a', ...(chosen.get('added') ?? [])]).toContain(box);
    }
  }
}

test('with lost, late and concurrent saves, screens show what the service has, and nothing is lost or invented', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), run), {
    numRuns: SEQUENCES,
    endOnFailure: SEQUENCES < 100,
  });
}, 1_800_000);
