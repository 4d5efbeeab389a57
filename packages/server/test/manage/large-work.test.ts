import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLanguages } from '../../src/domain/catalog/languages.ts';
import { findAmbiguous } from '../../src/domain/catalog/read-key.ts';
import { WorkPool } from '../../src/work/pool.ts';
import { databases, sqlite } from '../databases.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { awaitedProcessorTime, processorTime } from '../processor-time.ts';
import { editor } from './manage.ts';

const languages = [{ name: 'English', tag: 'en' }];
/** Milliseconds of processor time, with what sending and receiving take. */
const LITTLE = 1_000;
const WORST = `.*a${'((.{9}){10}){11}'.repeat(4)}`;

describe.each(databases)('large work on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('a file of texts is parsed on another thread, and rejected before that if too large', async () => {
    const { send } = await editor(server, { languages, groups: [{ name: 'g', keys: [] }] });
    const preview = (file: string) =>
      awaitedProcessorTime(() => send('POST', '/catalog/translations/preview', { file }));
    // The cost of sending and receiving that many bytes on this machine: the client runs on this thread too.
    const plain = await preview(`path,${'a'.repeat(3_000_000)}\n`);
    for (const [file, message] of [
      [`path,${','.repeat(3_000_000)}\n`, /more than 202 columns/],
      [`path,English\n${'g,a\n'.repeat(270_000)}`, /more than 200000 lines/],
      [
        `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="en"${Array.from({ length: 200_000 }, (_, at) => ` a${at}=""`).join('')}/>`,
        /too many attributes/,
      ],
    ] as const) {
      const { result, ms } = await preview(file);
      expect(result).toMatchObject({ status: 422, json: { errors: [{ message: expect.stringMatching(message) }] } });
      expect(ms).toBeLessThan(300 + 5 * plain.ms);
    }
  });

  test('patterns and long defaults of a plan do not block other requests', async () => {
    const { send } = await editor(server, { languages, groups: [] });
    const keys = Array.from({ length: 100 }, (_, at) => ({
      ...{ name: `k${at}`, type: 'string', default: 'a'.repeat(1_000) },
      constraint: { pattern: `${at}|.*a(.{9}){${99}}`, max_length: 1_000 },
    }));
    const plan = (planned: object[]) => () =>
      send('POST', '/catalog/plan', { languages, groups: [{ name: 'g', keys: planned }] });
    const plain = await awaitedProcessorTime(plan(keys.map(({ name, type }) => ({ name, type }))));
    const { result, ms } = await awaitedProcessorTime(plan(keys));
    expect(result).toMatchObject({ status: 422 });
    expect(result.text).toMatch(/too many long texts/);
    // Matching them on this thread would take many seconds.
    expect(ms).toBeLessThan(1_500 + 5 * plain.ms);
  });

  test('thousands of unknown languages cost as much as one known one', async () => {
    const many = Array.from({ length: 200 }, (_, at) => ({ name: `Language ${at}`, tag: `en-x-l${at}` }));
    const { send } = await editor(server, { languages: many, groups: [{ name: 'g', keys: [] }] });
    const [review, take] = [
      (language: (at: number) => string) => () =>
        send('POST', '/catalog/translations/review', {
          texts: Array.from({ length: 5_000 }, (_, at) => ({
            ...{ path: 'g', language: language(at), text: 'x', source: 'y' },
          })),
        }),
      (language: (at: number) => string) => () =>
        send(
          'POST',
          '/catalog/translations/import',
          {
            file: 'path,en-x-l1\ng,x\n',
            take: Array.from({ length: 20_000 }, (_, at) => ({ path: 'g', language: language(at) })),
          },
          { 'if-match': '*' },
        ),
    ];
    for (const [ask, status] of [
      [review, 200],
      [take, 422],
    ] as const) {
      const plain = await awaitedProcessorTime(ask(() => 'en-x-l2'));
      const { result, ms } = await awaitedProcessorTime(ask((at) => `en-y-${at}`));
      expect([plain.result.status, result.status]).toEqual([status, status]);
      expect(ms).toBeLessThan(300 + 5 * plain.ms);
    }
  });

  test('a page of texts in 200 languages ends early, and no text is missed', async () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      ...{ name: `Language ${at}`, tag: `en-x-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-l${at}` },
    }));
    const values = Array.from({ length: 2_000 }, (_, at) => `v${at}`);
    const keys = [{ name: 'k', type: 'string', values }];
    const { get } = await editor(server, { languages: many, groups: [{ name: 'g', keys }] });
    const paths = new Set<unknown>();
    for (let pages = 1; paths.size < 2_002; pages++) {
      const { text, json } = await get(`/catalog/translations?limit=5000&offset=${paths.size}`);
      const items = json.items as { path: string }[];
      expect(text.length).toBeLessThan(12_000_000);
      expect(json).toMatchObject({ total: 2_002, offset: paths.size, ...(pages === 1 && { limit: items.length }) });
      for (const { path } of items) paths.add(path);
      expect(pages).toBeLessThan(5);
    }
  });

  test('only the beginning of a large change is stored', async () => {
    const groups = Array.from({ length: 1_500 }, (_, at) => ({ name: `group ${at}` }));
    const { send, edit } = await editor(server, { languages, groups });
    const listed = await send('GET', '/revisions');
    const [{ changes }] = listed.json.items as [{ changes: { path: string; details: string[] }[] }];
    expect(listed.text.length).toBeLessThan(60_000);
    expect(changes[1]).toMatchObject({ path: 'group 0' });
    // One change is the language.
    expect(changes.at(-1)).toMatchObject({ details: [`and ${1_501 - (changes.length - 1)} more changes`] });
    // Undo restores everything, although only part of the changes is listed.
    const renamed = groups.map(({ name }) => ({ name: `new ${name}` }));
    const draft = await edit('PUT', '/draft', { languages, groups: renamed });
    expect(draft).toMatchObject({ status: 200, json: { changed: true } });
    const undone = await send('POST', '/catalog/draft/undo', undefined, { 'if-match': '*' });
    expect(undone).toMatchObject({ status: 200 });
    expect((await send('GET', '/catalog/draft')).json).toMatchObject({ draft: { changeCount: 0 } });
  });

  test('long names of combining marks are rejected in little time', async () => {
    const { edit } = await editor(server, { languages, groups: [] });
    const name = '\u0316\u0301'.repeat(15_000);
    for (const group of [{ name }, { name: 'g', keys: [{ name, type: 'boolean' }] }]) {
      const { result, ms } = await awaitedProcessorTime(() => edit('POST', '/groups', group));
      expect(result.status).toBe(422);
      expect(ms).toBeLessThan(300);
    }
  });

  test('long language tags are rejected in little time', async () => {
    const { edit } = await editor(server, { languages, groups: [] });
    const tag = `de-u${Array.from({ length: 7_000 }, (_, at) => `-a${String(at).padStart(6, '0')}`).join('')}`;
    for (const [method, path, body] of [
      ['POST', '/groups', { name: 'g', translations: { [tag]: 'G' } }],
      ['PUT', '/languages', { languages: [{ name: 'English', tag }] }],
      ['PATCH', '/translations', { texts: [{ path: 'g', language: tag, text: 'G' }] }],
    ] as const) {
      const { result, ms } = await awaitedProcessorTime(() => edit(method, path, body));
      expect([path, result.status]).toEqual([path, 422]);
      expect([path, ms < 200 ? 0 : ms]).toEqual([path, 0]);
    }
  });

  test('patterns that would take seconds to compile are rejected in little time', async () => {
    const { edit, tree } = await editor(server, { languages, groups: [{ name: 'g', keys: [] }] });
    const uid = (await tree()).groups[0]?.groupUid;
    const keys = [`(?i)[${'B-\u{1e942}'.repeat(240)}]`, `[${'\\pL'.repeat(330)}]`].map((pattern, at) => ({
      ...{ name: `k${at}`, type: 'string', constraint: { pattern, max_length: 10 } },
    }));
    for (const [path, body] of [
      [`/groups/${uid}/keys`, keys[0]],
      ['/groups', { name: 'more', keys }],
    ] as const) {
      const { result, ms } = await awaitedProcessorTime(() => edit('POST', path, body));
      expect(result.status).toBe(422);
      expect(result.text).toMatch(/character classes/);
      expect(ms).toBeLessThan(300);
    }
  });

  test('a thousand texts that fall back to those of other values are refused in little time', async () => {
    const tags = ['en', 'de', ...Array.from({ length: 30 }, (_, at) => `de-x-${at}`)];
    const many = tags.map((tag) => ({ name: tag, tag }));
    const translations = (at: number) => Object.fromEntries(tags.slice(2).map((tag) => [tag, `t${at}`]));
    const values = Array.from({ length: 1_000 }, (_, at) => [
      { value: `a${at}`, translations: translations(at) },
      { value: `b${at}` },
    ]).flat();
    const keys = [{ name: 'k', type: 'string', values }];
    const { edit } = await editor(server, { languages: many, groups: [{ name: 'g', keys }] });
    const texts = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ path: `g/k=b${at}`, language: 'de', text: `t${at}` },
    }));
    const { result, ms } = await awaitedProcessorTime(() => edit('PATCH', '/translations?draft=true', { texts }));
    expect(result).toMatchObject({ status: 422 });
    expect(result.text).toMatch(/has the text/);
    expect(ms < LITTLE ? 0 : ms).toBe(0);
  });

  test('thousands of equal texts are refused in little time', async () => {
    const values = Array.from({ length: 2_000 }, (_, at) => `v${at}`);
    const keys = [{ name: 'k', type: 'string', values }];
    const { edit, send } = await editor(server, { languages, groups: [{ name: 'g', keys }] });
    const texts = values.map((value) => ({ path: `g/k=${value}`, language: 'en', text: 'same' }));
    const sent = await awaitedProcessorTime(() => edit('PATCH', '/translations?draft=true', { texts }));
    expect(sent.result).toMatchObject({ status: 422 });
    expect(sent.ms < LITTLE ? 0 : sent.ms).toBe(0);
    const file = `path,en\n${texts.map(({ path, text }) => `${path},${text}\n`).join('')}`;
    const previewed = await awaitedProcessorTime(() => send('POST', '/catalog/translations/preview', { file }));
    expect(previewed.result.text).toMatch(/already belongs to another value/);
    expect(previewed.ms < LITTLE ? 0 : previewed.ms).toBe(0);
  });

  test('a slow match of a default runs on another thread in an edit, too', async () => {
    const key = { name: 'k', type: 'string', constraint: { pattern: `${WORST}|b+`, max_length: 800 } };
    const { edit, tree } = await editor(server, { languages, groups: [{ name: 'g', keys: [key] }] });
    const uid = (await tree()).groups[0]?.keys[0]?.keyUid;
    const good = await awaitedProcessorTime(() => edit('PATCH', `/keys/${uid}`, { default: 'b'.repeat(780) }));
    expect(good.result).toMatchObject({ status: 200, json: { changed: true } });
    const bad = await awaitedProcessorTime(() => edit('PATCH', `/keys/${uid}`, { default: 'c'.repeat(780) }));
    expect(bad.result).toMatchObject({ status: 422, json: { errors: [{ field: 'default' }] } });
  });

  test('a plan that opens a key with a costly pattern takes little time, also in a draft', async () => {
    const values = Array.from({ length: 2_000 }, (_, at) => `${'a'.repeat(240)}${at}`);
    const keys = (key: object) => ({
      languages,
      groups: [{ name: 'g', keys: [{ name: 'k', type: 'string', ...key }] }],
    });
    const { send, edit } = await editor(server, keys({ values }));
    const open = (pattern: string) => keys({ constraint: { pattern, max_length: 255 } });
    const costly = open('(.*a((.{9}){10}){11})?.*');
    const plan = (file: object) => awaitedProcessorTime(() => send('POST', '/catalog/plan', file));
    await plan(costly);
    const plain = await plan(open('a+[0-9]+'));
    expect(plain.result).toMatchObject({ status: 200, json: { breaking: [] } });
    expect((await plan(open('a+[0-8]+'))).result.json.breaking).toHaveLength(1);
    const { result, ms } = await plan(costly);
    // Not everything was matched, so it counts as affected.
    expect(result).toMatchObject({ status: 200, json: { breaking: [{ path: 'g/k', selections: 0 }] } });
    expect(ms).toBeLessThan(400 + 2 * plain.ms);
    expect(await edit('PUT', '/draft', costly)).toMatchObject({ status: 200, json: { changed: true } });
    const draft = await awaitedProcessorTime(() => send('GET', '/catalog/draft'));
    expect(draft.result).toMatchObject({ status: 200, json: { draft: { changeCount: 1 } } });
    expect(draft.ms).toBeLessThan(400 + 2 * plain.ms);
  });

  test('a plan with a costly pattern does not block other requests, and is exact for ordinary ones', async () => {
    const keys = (key: object) => ({
      ...{ languages },
      groups: [{ name: 'g', keys: [{ name: 'k', type: 'string', multiple: true, ...key }] }],
    });
    const { send, tree, application } = await editor(server, keys({ constraint: { max_length: 800 } }));
    const [group] = (await tree()).groups;
    const body = { option_group_uid: group?.groupUid, option_key_uid: group?.keys[0]?.keyUid };
    const headers = { apiKey: application.clientId };
    for (let saved = 0; saved < 4; saved++) {
      const { userCode } = await makeSignedInUser(server, application);
      const value = Array.from({ length: 75 }, (_, at) => `${'a'.repeat(794)}${saved}${at + 10}`);
      const { status } = await server.post('/api/user_options', { ...body, user_uid: userCode, value }, headers);
      expect(status).toBe(201);
    }
    const plan = async (pattern: string) => {
      const { result, ms } = await awaitedProcessorTime(() =>
        send('POST', '/catalog/plan', keys({ constraint: { pattern, max_length: 800 } })),
      );
      expect(result.status).toBe(200);
      return { breaking: (result.json.breaking as { selections: number }[]).map(({ selections }) => selections), ms };
    };
    const costly = `(.*a${'((.{9}){10}){11}'.repeat(4)})?.*`;
    await plan(costly);
    const plain = await plan('a+[0-9]+');
    expect(plain.breaking).toEqual([0]);
    expect((await plan('a+[1-9][0-9]+')).breaking).toEqual([1]);
    const { breaking, ms } = await plan(costly);
    expect(breaking).toEqual([4]);
    expect(ms).toBeLessThan(400 + 2 * plain.ms);
  });

  test('a costly match runs on another thread, and never for an unknown user', async () => {
    const key = { name: 'k', type: 'string', multiple: true, constraint: { pattern: WORST, max_length: 800 } };
    const { tree, application } = await editor(server, { languages, groups: [{ name: 'g', keys: [key] }] });
    const [group] = (await tree()).groups;
    const [found] = group?.keys ?? [];
    const value = Array.from({ length: 8 }, (_, at) => `${'a'.repeat(780)}${at}`);
    const save = (userUid: string, value: string[]) =>
      awaitedProcessorTime(() =>
        server.send('POST', '/api/user_options', {
          headers: { apikey: application.clientId },
          body: JSON.stringify({
            ...{ user_uid: userUid, option_group_uid: group?.groupUid, option_key_uid: found?.keyUid, value },
          }),
        }),
      );
    const plain = await save('00000000-0000-4000-8000-000000000000', ['a']);
    const nobody = await save('00000000-0000-4000-8000-000000000000', value);
    expect(nobody.result).toMatchObject({ status: 404, json: { code: '1006' } });
    expect(nobody.ms).toBeLessThan(100 + 5 * plain.ms);
  });

  test('options in many languages are not compared with all texts for an unknown user', async () => {
    const tags = Array.from({ length: 200 }, (_, at) => `de-x${'-a'.repeat(40)}-${String(at).padStart(3, '0')}`);
    const many = tags.map((tag, at) => ({ name: `L${at}`, tag }));
    const keys = [{ name: 'k', type: 'string', values: Array.from({ length: 2_000 }, (_, at) => `v${at}`) }];
    const { tree, application } = await editor(server, { languages: many, groups: [{ name: 'g', keys }] });
    const [group] = (await tree()).groups;
    const option = { option_group_uid: group?.groupUid, option_key_uid: group?.keys[0]?.keyUid, value: ['zz'] };
    const save = (language: (at: number) => string) =>
      awaitedProcessorTime(() =>
        server.send('PUT', '/api/user_options', {
          headers: { apikey: application.clientId },
          body: JSON.stringify({
            user_uid: '00000000-0000-4000-8000-000000000000',
            options: Array.from({ length: 199 }, (_, at) => ({ ...option, language: language(at) })),
          }),
        }),
      );
    const plain = await save(() => 'L0');
    const { result, ms } = await save((at) => `L${at}`);
    expect([plain.result.json.code, result.status, result.json.code]).toEqual(['1006', 404, '1006']);
    const most = 50 + 2 * plain.ms;
    expect(ms < most ? 0 : ms).toBe(0);
  });
});

test("work that takes too long is stopped, and the application's next task runs", async () => {
  const pool = new WorkPool(300);
  const checks = Array.from({ length: 500 }, (_, at) => ({ pattern: WORST, text: `${'a'.repeat(4_000)}${at}` }));
  const slow = pool.run('matchPatterns', checks, { appId: 1 });
  const next = new WorkPool();
  const quick = next.run('matchPatterns', [{ pattern: 'a+', text: 'aa' }], { appId: 1 });
  await expect(slow).rejects.toMatchObject({ error: 'overloaded', message: expect.stringContaining('0.3 seconds') });
  expect(await quick).toEqual([true]);
  await Promise.all([pool.close(), next.close()]);
});

const NOTHING = { names: [], hasLanguages: false };

test('an application has few tasks waiting, and others do not queue behind them', async () => {
  const pool = new WorkPool();
  const checks = Array.from({ length: 20 }, (_, at) => ({ pattern: WORST, text: `${'a'.repeat(900)}${at}` }));
  const order: string[] = [];
  const own = [
    pool.run('matchPatterns', checks, { appId: 1 }).then(() => order.push('own')),
    // Two of 30 MB and thirty small ones may wait.
    ...Array.from({ length: 3 }, () =>
      pool.run('readCatalogBody', { body: Buffer.alloc(30_000_000), known: NOTHING }, { appId: 1 }),
    ),
    ...Array.from({ length: 31 }, () => pool.run('matchPatterns', [], { appId: 1 })),
  ];
  const settled = Promise.allSettled(own);
  const other = pool.run('matchPatterns', [], { appId: 2 }).then(() => order.push('other'));
  const reasons = (await settled).map((each) => (each.status === 'rejected' ? each.reason : undefined));
  const refused = { error: 'overloaded', message: expect.stringContaining('again'), headers: { 'retry-after': '5' } };
  const notJson = { error: 'bodyNotJson' };
  expect(reasons.slice(0, 4)).toMatchObject([undefined, notJson, notJson, refused]);
  expect(reasons.slice(4, -1).every((reason) => reason === undefined)).toBe(true);
  expect(reasons.at(-1)).toMatchObject(refused);
  await other;
  expect(order.indexOf('other')).toBeLessThanOrEqual(1);
  await pool.close();
});

test('a request for which there is no room gets its own Retry-After', async () => {
  const server = await startTestServer(await sqlite.fresh());
  const { send, application } = await editor(server, { languages, groups: [] });
  const slow = Array.from({ length: 500 }, (_, at) => ({ pattern: WORST, text: `${'a'.repeat(4_000)}${at}` }));
  const waiting = Array.from({ length: 32 }, () => []);
  const tasks = [slow, ...waiting].map((checks) => server.service.work.run('matchPatterns', checks, application));
  const settled = Promise.allSettled(tasks);
  const refused = await send('POST', '/catalog/plan', { languages, groups: [] });
  await server.close();
  await settled;
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([503, '9503', '5']);
});

/** Collects the threads that are started during the test. */
function startedThreads(): Worker[] {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return started;
}

test('a thread that ended while it was idle gets no task', async () => {
  const started = startedThreads();
  const pool = new WorkPool();
  const work = () => pool.run('matchPatterns', [{ pattern: 'a+', text: 'aa' }], { appId: 1 });
  expect(await work()).toEqual([true]);
  await started[0]?.terminate();
  expect(await work()).toEqual([true]);
  expect(started).toHaveLength(2);
  await pool.close();
});

test('closing rejects the tasks that wait, and starts none of them', async () => {
  const started = startedThreads();
  const pool = new WorkPool();
  const slow = Array.from({ length: 500 }, (_, at) => ({ pattern: WORST, text: `${'a'.repeat(4_000)}${at}` }));
  const tasks = [slow, [], []].map((checks) => pool.run('matchPatterns', checks, { appId: 1 }));
  const settled = Promise.allSettled(tasks);
  await pool.close();
  const refused = { status: 'rejected', reason: { error: 'overloaded' } };
  expect(await settled).toMatchObject([refused, refused, refused]);
  expect(started).toHaveLength(1);
});

test('the texts of a key in languages with long tags are compared in little time', () => {
  const tags = Array.from({ length: 200 }, (_, at) => `de-x${'-a'.repeat(40)}-${String(at).padStart(3, '0')}`);
  const all = tags.map((tag, at) => ({ name: tag, tag, isDefault: at === 0 }));
  const texts = Object.fromEntries(tags.map((tag, at) => [tag, `t${at}`]));
  const values = Array.from({ length: 2_000 }, (_, at) => ({
    ...{ value: `v${at}`, texts: at === 0 ? texts : {}, retired: false },
  }));
  const ms = processorTime(() => expect(findAmbiguous(values, createLanguages(all))).toEqual([]));
  expect(ms < 60 ? 0 : ms).toBe(0);
});
