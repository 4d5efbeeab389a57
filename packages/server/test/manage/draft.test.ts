import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { byToken, editor, editorOf, manageWith, type Tree } from './manage.ts';

describe.each(databases)('drafts of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  let replica: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    server = await startTestServer(url);
    replica = await startTestServer(url);
  });
  afterAll(() => Promise.all([server.close(), replica.close()]));

  async function drafter() {
    const made = await editor(server);
    const { get, send, edit } = made;
    const draftTree = async () => (await get('/catalog/tree?draft=true')).json as unknown as Tree;
    return {
      ...made,
      draftTree,
      draft: async (rest = '') => (await get(`/catalog/draft${rest}`)).json as { revision: number; draft: Wire },
      /** Edits the draft. */
      change: (method: string, rest: string, body: unknown, seen: number | string = '*') =>
        edit(method, `${rest}?draft=true`, body, seen),
      publish: (body: Wire = {}, ifMatch = '*') =>
        send('POST', '/catalog/draft/publish', body, { 'if-match': ifMatch }),
      step: (kind: 'undo' | 'redo', ifMatch = '*') =>
        send('POST', `/catalog/draft/${kind}`, undefined, { 'if-match': ifMatch }),
      discard: (ifMatch = '*') => send('DELETE', '/catalog/draft', undefined, { 'if-match': ifMatch }),
      keyOf: async (name: string) => {
        const keys = (await draftTree()).groups.flatMap((each) => each.keys);
        return keys.find((key) => key.name === name && !key.archived);
      },
    };
  }

  const paths = (json: Wire) => (json.changes as Wire[]).map(({ kind, path }) => `${kind} ${path}`);

  test('edits go into the draft, are visible only there, and are published as one revision', async () => {
    const { change, draft, draftTree, tree, file, get, publish, application } = await drafter();
    expect(await draft()).toEqual({ revision: 1, draft: null });
    const before = await get('/catalog/tree?draft=true');
    expect(before.headers.get('etag')).toBe('"1"');

    const made = await change('POST', '/groups', { name: 'sound', keys: [{ name: 'muted', type: 'boolean' }] }, 1);
    expect(made).toMatchObject({
      status: 201,
      json: { revision: 1, changed: true, draft: { version: 1, baseRevision: 1, createdBy: byToken() } },
    });
    const etag = made.headers.get('etag') as string;
    expect(made.json).toMatchObject({ draft: { etag } });
    expect(paths(made.json)).toEqual(['added sound', 'added sound/muted']);

    const groupUid = made.json.groupUid as string;
    const loud = await change('POST', `/groups/${groupUid}/keys`, { name: 'loudness', type: 'integer' }, etag);
    expect(loud).toMatchObject({ status: 201, json: { draft: { version: 2 } } });
    expect((await tree()).groups.map(({ name }) => name)).not.toContain('sound');
    expect(JSON.stringify(await file())).not.toContain('sound');
    const offered = await server.send('GET', '/api/option_groups', { headers: { apiKey: application.clientId } });
    expect(offered.text).not.toContain('sound');

    const seen = await get('/catalog/tree?draft=true');
    expect(seen.headers.get('etag')).toBe(loud.headers.get('etag'));
    expect(
      (await get('/catalog/tree?draft=true', { 'if-none-match': loud.headers.get('etag') as string })).status,
    ).toBe(304);
    expect((await get('/catalog?draft=true')).text).toContain('loudness');
    expect((await get('/catalog/translations?draft=true&search=loudness')).json).toMatchObject({ total: 1 });
    expect((await get('/catalog/translations?search=loudness')).json).toMatchObject({ total: 0 });
    const page = await get('/catalog/translations?draft=true&limit=1');
    expect(page.headers.get('link')).toContain('draft=true');
    expect((await get('/catalog/languages?draft=true')).json).not.toEqual((await get('/catalog/languages')).json);

    const state = await draft();
    expect(state).toMatchObject({ revision: 1, draft: { changeCount: 3, textsOnly: false, revisions: [] } });
    expect(state.draft.plan).toMatchObject({ breaking: [], missing: expect.any(Array) });
    expect((state.draft.edits as Wire[]).map(({ version }) => version)).toEqual([2, 1]);
    expect((await draft('?plan=false')).draft.plan).toBeUndefined();

    // Publishing keeps the draft's UIDs.
    const uids = (each: Tree) =>
      each.groups.flatMap((group) => [group.groupUid, ...group.keys.map(({ keyUid }) => keyUid)]);
    const inDraft = await draftTree();
    const published = await publish({}, loud.headers.get('etag') as string);
    expect(published).toMatchObject({ status: 200, json: { revision: 2, changed: true } });
    expect(published.headers.get('etag')).toBe('"2"');
    expect(uids(await tree())).toEqual(uids(inDraft));
    expect(await draft()).toEqual({ revision: 2, draft: null });
    const [revision] = (await get('/revisions?limit=1')).json.items as Wire[];
    expect(revision).toMatchObject({ revision: 2, author: byToken() });
    expect(paths(revision as Wire)).toEqual(['added sound', 'added sound/muted', 'added sound/loudness']);
    expect((await publish()).json.code).toBe('9404');
  });

  test('every edit accepts draft=true', async () => {
    const { change, draftTree, draft, send, keyOf } = await drafter();
    const group = (await draftTree()).groups[0] as Tree['groups'][0];
    const { keyUid } = group.keys[1] as { keyUid: string };
    const orders = (await draftTree()).groups.map(({ groupUid }) => ({ groupUid })).toReversed();
    for (const [method, rest, body] of [
      ['PATCH', `/groups/${group.groupUid}`, { name: 'cuisine' }],
      ['PATCH', `/keys/${keyUid}`, { name: 'fruits' }],
      ['PUT', `/keys/${keyUid}/values`, { values: ['kiwi', 'apple', 'plum'] }],
      ['PUT', '/order', { groups: orders }],
      ['PATCH', '/translations', { texts: [{ path: 'cuisine', language: 'de', text: 'Herd' }] }],
      ['DELETE', `/keys/${keyUid}`, undefined],
      ['DELETE', `/groups/${orders[0]?.groupUid}`, undefined],
      ['PUT', '/languages', { languages: [{ name: 'English', tag: 'en' }] }],
    ] as const) {
      const before = (await draft('?plan=false')).draft;
      const done = await change(method, rest, body, (before?.etag as string) ?? 1);
      expect([method, rest, done.status]).toEqual([method, rest, 200]);
      expect(done.json).toMatchObject({
        revision: 1,
        changed: true,
        draft: { version: ((before?.version as number) ?? 0) + 1 },
      });
    }
    expect(await keyOf('fruits')).toBeUndefined();
    const restored = await send('POST', '/revisions/1/restore?draft=true', undefined, { 'if-match': '*' });
    expect(restored).toMatchObject({ status: 200, json: { draft: { version: 9 } } });
    expect((await draft()).draft).toMatchObject({ changeCount: 0 });
    expect(await keyOf('fruit')).toMatchObject({ keyUid });
  });

  test('an edit without a change creates no version and no draft', async () => {
    const { change, draft, key } = await drafter();
    const { keyUid } = await key('fruit');
    const nothing = await change('PATCH', `/keys/${keyUid}`, {}, 1);
    expect(nothing).toMatchObject({ status: 200, json: { changed: false, draft: null, revision: 1 } });
    expect(nothing.headers.get('etag')).toBe('"1"');
    expect(await draft()).toEqual({ revision: 1, draft: null });
    expect(await change('PATCH', `/keys/${keyUid}`, { name: '' })).toMatchObject({
      status: 422,
      json: { code: '9422' },
    });
    expect(await draft()).toEqual({ revision: 1, draft: null });
  });

  test('two editors: the second sees what the first did', async () => {
    const { change, key, get, path } = await drafter();
    const other = editorOf(await manageWith(replica, { name: 'other' }), path);
    const { keyUid } = await key('fruit');
    const first = await change('PATCH', `/keys/${keyUid}`, { name: 'apple' }, 1);
    expect(first.status).toBe(200);
    // An editor on another replica who has not seen the draft.
    const late = await other.edit('PATCH', `/keys/${keyUid}?draft=true`, { name: 'pear' }, 1);
    expect(late).toMatchObject({
      status: 412,
      json: { code: '9412', revision: 1, revisions: [], draft: { version: 1, etag: first.headers.get('etag') } },
    });
    expect(late.json.edits).toMatchObject([{ version: 1, author: byToken(), changes: [{ kind: 'renamed' }] }]);
    const second = await other.edit(
      'PATCH',
      `/keys/${keyUid}?draft=true`,
      { name: 'pear' },
      first.headers.get('etag') as string,
    );
    expect(second).toMatchObject({
      status: 200,
      json: { draft: { version: 2, createdBy: byToken(), updatedBy: byToken('other') } },
    });
    // An editor who has seen only the first version.
    const stale = await change('DELETE', `/keys/${keyUid}`, undefined, first.headers.get('etag') as string);
    expect(stale).toMatchObject({ status: 412, json: { edits: [{ version: 2, author: byToken('other') }] } });
    // The ETags of a draft and of the published catalog cannot be mixed.
    const mixed = await change('PATCH', `/keys/${keyUid}`, {}, '"1"');
    expect(mixed.status).toBe(412);
    const wrong = await other.edit('PATCH', `/keys/${keyUid}`, {}, first.headers.get('etag') as string);
    expect(wrong).toMatchObject({ status: 400, json: { code: '9400' } });
    expect((await get('/catalog/tree?draft=true')).text).toContain('pear');
    // The draft is gone, because the other editor published it.
    const seen = second.headers.get('etag') as string;
    const published = await other.send('POST', '/catalog/draft/publish', {}, { 'if-match': seen });
    expect(published.status).toBe(200);
    const gone = await change('PATCH', `/keys/${keyUid}`, { name: 'plum' }, seen);
    expect(gone).toMatchObject({
      status: 412,
      json: { revision: 2, draft: null, edits: [], revisions: [{ revision: 2, author: byToken('other') }] },
    });
  });

  test('a note says why a revision was published, and is stored with it', async () => {
    const { change, publish, get } = await drafter();
    await change('POST', '/groups', { name: 'sound' });
    for (const note of ['x'.repeat(1001), 'a\u0000']) {
      expect((await publish({ note })).json).toMatchObject({ code: '9400', errors: [{ field: 'note' }] });
    }
    expect((await publish({ note: '  Asked for by support\nNo. 7 ' })).status).toBe(200);
    await change('POST', '/groups', { name: 'light' });
    expect((await publish({ note: ' ' })).status).toBe(200);
    const { items } = (await get('/revisions')).json as { items: Wire[] };
    expect(items.map(({ revision, note }) => [revision, note])).toEqual([
      [3, undefined],
      [2, 'Asked for by support\nNo. 7'],
      [1, undefined],
    ]);
    expect((await get('/revisions/2')).json.note).toBe('Asked for by support\nNo. 7');
  });

  test('an edit that publishes accepts a note too; a draft gets it when it is published', async () => {
    const { edit, get } = await drafter();
    const add = (name: string, query: string) => edit('POST', `/groups?${query}`, { name }, '*');
    expect((await add('sound', 'note=%20For%20support%20')).status).toBe(201);
    expect((await get('/revisions/2')).json.note).toBe('For support');
    expect((await add('light', `note=${'x'.repeat(1001)}`)).json).toMatchObject({ errors: [{ field: 'note' }] });
    expect((await add('light', 'draft=true&note=x')).json).toMatchObject({ code: '9400', errors: [{ field: 'note' }] });
  });

  test('of many concurrent edits with one ETag one wins; with * all do', async () => {
    const { change, draft, draftTree } = await drafter();
    const at = (name: string) => change('POST', '/groups', { name }, 1);
    const raced = await Promise.all(['a', 'b', 'c', 'd'].map(at));
    expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 412, 412, 412]);
    const all = await Promise.all(['e', 'f', 'g', 'h'].map((name) => change('POST', '/groups', { name })));
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await draft()).draft).toMatchObject({ version: 5 });
    expect((await draftTree()).groups.length).toBe(8);
  });

  test('a publication meanwhile is reported, and overridden only explicitly', async () => {
    const { change, edit, draft, publish, key, tree, discard } = await drafter();
    const { keyUid } = await key('fruit');
    await change('PATCH', `/keys/${keyUid}`, { translations: { de: 'Sorte' } });
    await edit('POST', '/groups', { name: 'meanwhile' });
    const state = await draft();
    expect(state).toMatchObject({ revision: 2, draft: { baseRevision: 1, revisions: [{ revision: 2 }] } });
    // The plan compares with the catalog that is published now.
    expect(paths(state.draft.plan as Wire)).toContain('archived meanwhile');
    const refused = await publish();
    expect(refused).toMatchObject({ status: 412, json: { code: '9412', revision: 2 } });
    expect(refused.json.revisions).toMatchObject([{ revision: 2, changes: [{ kind: 'added', path: 'meanwhile' }] }]);
    expect((await publish({ over: 1 })).status).toBe(412);
    expect(await publish({ over: 2 })).toMatchObject({ status: 200, json: { revision: 3 } });
    expect((await tree()).groups.find(({ name }) => name === 'meanwhile')).toMatchObject({ archived: true });
    for (const bad of [{ over: -1 }, { over: '2' }, { allowBreaking: 'yes' }, { more: 1 }]) {
      expect(await publish(bad)).toMatchObject({ status: 400, json: { code: '9400' } });
    }
    await change('PATCH', `/keys/${keyUid}`, { translations: { de: 'Arten' } });
    expect((await discard()).status).toBe(204);
    expect(await draft()).toEqual({ revision: 3, draft: null });
    expect(await discard()).toMatchObject({ status: 404, json: { code: '9404' } });
  });

  test('breaking changes are counted, and published only when allowed', async () => {
    const { change, draft, publish, key, group, application } = await drafter();
    const user = await makeSignedInUser(server, application);
    const [{ keyUid }, { groupUid }] = [await key('portions'), await group('kitchen')];
    const choice = { user_uid: user.userCode, option_group_uid: groupUid, option_key_uid: keyUid, value: [4] };
    const saved = await server.post('/api/user_options', choice, { apiKey: application.clientId });
    expect(saved.status).toBe(201);
    const edited = await change('PUT', `/keys/${keyUid}/values`, { values: [1, 2] });
    expect(edited.status).toBe(200);
    const breaking = [{ path: 'kitchen/portions', text: 'value removed: 4', selections: 1 }];
    expect((await draft()).draft.plan).toMatchObject({ breaking });
    const refused = await publish();
    expect(refused).toMatchObject({ status: 409, json: { code: '9409', breaking } });
    expect(await publish({ allowBreaking: true })).toMatchObject({ status: 200, json: { revision: 2, breaking } });
  });

  test('edits are undone and redone, also through another replica', async () => {
    const { change, step, draft, draftTree, key, path } = await drafter();
    const other = editorOf(await manageWith(replica), path);
    expect(await step('undo')).toMatchObject({ status: 404, json: { code: '9404' } });
    const before = await draftTree();
    const { keyUid } = await key('fruit');
    await change('PATCH', `/keys/${keyUid}`, { name: 'apple', position: 0 });
    const middle = await draftTree();
    await change('POST', '/groups', { name: 'new', keys: [{ name: 'one', type: 'string' }], position: 0 });
    const after = await draftTree();
    expect((await draft()).draft).toMatchObject({ undo: { version: 2, kind: 'edit' }, redo: null });
    const back = await step('undo');
    expect(back).toMatchObject({ status: 200, json: { changed: true, draft: { version: 3 } } });
    expect(paths(back.json)).toEqual(['archived new', 'archived new/one']);
    expect(await draftTree()).toEqual(middle);
    const again = await other.send('POST', '/catalog/draft/undo', undefined, { 'if-match': '*' });
    expect(again.status).toBe(200);
    expect(await draftTree()).toEqual(before);
    expect((await draft()).draft).toMatchObject({ changeCount: 0, undo: null, redo: { version: 4 } });
    expect(await step('undo')).toMatchObject({ status: 409, json: { code: '9409' } });
    await step('redo');
    expect(await draftTree()).toEqual(middle);
    await other.send('POST', '/catalog/draft/redo', undefined, { 'if-match': '*' });
    expect(await draftTree()).toEqual(after);
    expect(await step('redo')).toMatchObject({ status: 409, json: { code: '9409' } });
    await step('undo');
    // After a new edit, the undone one cannot be redone.
    await change('POST', '/groups', { name: 'other' });
    expect(await step('redo')).toMatchObject({ status: 409 });
    expect((await other.get('/catalog/tree?draft=true')).json).toEqual(await draftTree());
  });

  test('undo covers languages, archiving and whole files', async () => {
    const { step, draftTree, send, change, group } = await drafter();
    const before = await draftTree();
    const { groupUid } = await group('kitchen');
    await change('PUT', '/languages', { languages: [{ name: 'Deutsch', tag: 'de' }] });
    await change('DELETE', `/groups/${groupUid}`, undefined);
    const file = { languages: [{ name: 'English', tag: 'en' }], groups: [{ name: 'alone' }] };
    const put = await send('PUT', '/catalog/draft', file, { 'if-match': '*' });
    expect(put).toMatchObject({ status: 200, json: { draft: { version: 3 } } });
    for (const _ of [1, 2, 3]) expect((await step('undo')).status).toBe(200);
    expect(await draftTree()).toEqual(before);
    const bad = await send('PUT', '/catalog/draft', { languages: [] }, { 'if-match': '*' });
    expect(bad).toMatchObject({ status: 422, json: { code: '9422' } });
  });

  test('a new draft contains nothing of the previous one', async () => {
    const { change, discard, draftTree, tree } = await drafter();
    const first = await change('POST', '/groups', { name: 'once' });
    const made = await change('POST', `/groups/${first.json.groupUid}/keys`, { name: 'k', type: 'string' });
    expect((await discard(made.headers.get('etag') as string)).status).toBe(204);
    expect(await draftTree()).toEqual(await tree());
    await change('POST', '/groups', { name: 'a' });
    const second = await change('POST', '/groups', { name: 'b' });
    expect(second.json).toMatchObject({ draft: { version: 2 } });
    expect((await draftTree()).groups.map(({ name }) => name)).toEqual(['kitchen', 'open', 'empty', 'a', 'b']);
    expect((await change('POST', '/groups', { name: 'c' }, made.headers.get('etag') as string)).status).toBe(412);
  });

  test('items created and archived in the draft are never published', async () => {
    const { change, publish, tree, draftTree } = await drafter();
    const made = await change('POST', '/groups', { name: 'fleeting' });
    await change('DELETE', `/groups/${made.json.groupUid}`, undefined);
    expect((await draftTree()).groups.at(-1)).toMatchObject({ name: 'fleeting', archived: true });
    const back = await change('PATCH', `/groups/${made.json.groupUid}`, { archived: false });
    expect(back.status).toBe(200);
    await change('DELETE', `/groups/${made.json.groupUid}`, undefined);
    await change('POST', '/groups', { name: 'lasting' });
    expect((await publish()).json).toMatchObject({ revision: 2, changes: [{ path: 'lasting' }] });
    expect((await tree()).groups.map(({ name }) => name)).not.toContain('fleeting');
    // With nothing to publish, the draft ends anyway.
    const again = await change('POST', '/groups', { name: 'fleeting' });
    await change('DELETE', `/groups/${again.json.groupUid}`, undefined);
    expect((await publish()).json).toMatchObject({ revision: 2, changed: false });
    expect((await publish()).status).toBe(404);
  });

  test('a translator edits and publishes only texts', async () => {
    const { change, edit, discard, path, application, group, draft } = await drafter();
    const only = { access: 'texts' as const, appIds: [application.appId] };
    const translator = editorOf(await manageWith(server, { name: 'translator', ...only }), path);
    const translate = (text: string) =>
      translator.edit('PATCH', '/translations?draft=true', { texts: [{ path: 'kitchen', language: 'de', text }] });
    const act = (method: string, rest: string, body?: unknown) =>
      translator.send(method, `/catalog/draft${rest}`, body, { 'if-match': '*' });
    expect((await translate('Herd')).status).toBe(200);
    expect((await draft()).draft).toMatchObject({ textsOnly: true });
    expect((await act('POST', '/undo')).status).toBe(200);
    expect((await act('POST', '/redo')).status).toBe(200);
    expect((await act('POST', '/publish', {})).json).toMatchObject({ revision: 2 });
    expect((await translate('Ofen')).status).toBe(200);
    expect((await act('DELETE', '')).status).toBe(204);

    const { groupUid } = await group('kitchen');
    const refused = await translator.edit('PATCH', `/groups/${groupUid}?draft=true`, { name: 'x' });
    expect(refused).toMatchObject({ status: 403, json: { code: '9403' } });
    await change('PATCH', `/groups/${groupUid}`, { name: 'cuisine' });
    expect((await draft()).draft).toMatchObject({ textsOnly: false });
    for (const [method, rest, body] of [
      ['POST', '/publish', {}],
      ['POST', '/undo', undefined],
      ['DELETE', '', undefined],
      ['PUT', '', { languages: [{ name: 'English', tag: 'en' }], groups: [] }],
    ] as const) {
      expect(await act(method, rest, body)).toMatchObject({ status: 403, json: { code: '9403' } });
    }
    const reader = editorOf(await manageWith(server, { ...only, access: 'read' }), path);
    // Only texts changed, but another revision was published since. Publishing would undo it; discarding only loses
    // texts.
    await discard();
    expect((await translate('Ofen')).status).toBe(200);
    await edit('POST', '/groups', { name: 'meanwhile' });
    const { revision, draft: overtaken } = await draft();
    expect(overtaken).toMatchObject({ textsOnly: false, editsTextsOnly: true });
    expect((await act('POST', '/publish', { over: revision })).status).toBe(403);
    expect((await act('DELETE', '')).status).toBe(204);
    expect(await draft()).toEqual({ revision, draft: null });
    await change('POST', '/groups', { name: 'more' });
    await edit('POST', '/groups', { name: 'again' });
    expect((await draft()).draft).toMatchObject({ textsOnly: false, editsTextsOnly: false });
    expect((await act('DELETE', '')).status).toBe(403);
    expect((await reader.get('/catalog/draft')).status).toBe(200);
    expect((await reader.send('DELETE', '/catalog/draft', undefined, { 'if-match': '*' })).status).toBe(403);
  });

  test('a draft is deleted with its application, and its operations require If-Match', async () => {
    const { change, send, application, step, draft } = await drafter();
    await change('POST', '/groups', { name: 'x' });
    for (const [method, rest, body] of [
      ['PUT', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/publish', {}],
      ['POST', '/undo', undefined],
      ['POST', '/redo', undefined],
    ] as const) {
      expect((await send(method, `/catalog/draft${rest}`, body)).json.code).toBe('9428');
      const stale = await send(method, `/catalog/draft${rest}`, body, { 'if-match': '"1"' });
      // An invalid file is reported before the conflict.
      expect([method, rest, stale.status]).toEqual([method, rest, method === 'PUT' ? 422 : 412]);
    }
    expect((await step('undo', 'nonsense')).json.code).toBe('9400');
    expect((await draft()).draft).toMatchObject({ version: 1 });
    expect(await server.service.storage.applications.delete(application.appId)).toBe('deleted');
    expect(await server.service.storage.drafts.load(application.appId)).toBeUndefined();
  });
});
