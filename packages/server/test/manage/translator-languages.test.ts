import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { cookieOf, memberWith, openSession, PASSWORD, tokenOf, type Visitor, visitorWith } from '../portal/portal.ts';
import { editor, manageWith } from './manage.ts';

const ANY = { 'if-match': '*' };
const FILE = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'Español', tag: 'es' },
  ],
  groups: [
    {
      name: 'look',
      translations: { Deutsch: 'Aussehen' },
      keys: [
        { name: 'theme', type: 'string', values: [{ value: 'dark', translations: { Deutsch: 'Dunkel' } }, 'light'] },
      ],
    },
  ],
};

describe.each(databases)('a translator of some languages on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  /** A translator invited for German only. */
  const invited = async () => {
    const made = await editor(server, FILE);
    const { appId, clientId } = made.application;
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    const email = `${crypto.randomUUID()}@example.com`;
    const body = { email, role: 'translator', languages: ['DE'] };
    const answer = await owner.send('POST', `/applications/${clientId}/invitations`, body);
    expect(answer).toMatchObject({ status: 201, json: { role: 'translator', languages: ['de'] } });
    const link = { token: tokenOf(String(answer.json.link)) };
    const headers = { 'sec-fetch-site': 'same-origin', 'x-innkeeper-portal': '1' };
    const read = await server.post('/manage/v1/session/link', link, headers);
    expect(read.json).toMatchObject({ role: 'translator', languages: ['de'] });
    const opened = await openSession(server, { token: tokenOf(String(answer.json.link)), password: PASSWORD });
    const path = `/applications/${clientId}`;
    return { ...made, owner, path, opened, translator: visitorWith(server, cookieOf(opened)) };
  };
  const change = (who: Pick<Visitor, 'send'>, path: string, texts: [string, string, string | null][], draft = false) =>
    who.send(
      'PATCH',
      `${path}/catalog/translations${draft ? '?draft=true' : ''}`,
      { texts: texts.map(([place, language, text]) => ({ path: place, language, text })) },
      { 'sec-fetch-site': 'same-origin', 'x-innkeeper-portal': '1', ...ANY },
    );
  const send = (who: Visitor, method: string, path: string, body?: unknown) =>
    who.send(method, path, body, { 'sec-fetch-site': 'same-origin', 'x-innkeeper-portal': '1', ...ANY });

  test('changes texts of these only, published or in the draft', async () => {
    const { translator, path, opened } = await invited();
    expect(opened.json.applications).toMatchObject([{ access: 'texts', languages: ['de'] }]);
    for (const draft of [false, true]) {
      expect((await change(translator, path, [['look/theme', 'de', `Thema ${draft}`]], draft)).status).toBe(200);
      for (const texts of [
        [['look/theme', 'es', 'Tema']],
        [['look/theme', 'English', 'Theme']],
        [
          ['look/theme', 'de', 'Farben'],
          ['look/theme=dark', 'es', 'Oscuro'],
        ],
      ] as [string, string, string][][]) {
        const refused = await change(translator, path, texts, draft);
        expect([refused.status, refused.json.message]).toEqual([
          403,
          'This changes texts of other languages. You can change: de.',
        ]);
      }
    }
    // Removing a text is a change; saving the current text is not.
    expect((await change(translator, path, [['look', 'de', null]], true)).status).toBe(200);
    expect((await send(translator, 'POST', `${path}/catalog/draft/publish`, {})).status).toBe(200);
  });

  test("cannot publish, discard or undo others' changes in another language", async () => {
    const { translator, owner, path } = await invited();
    const mayEnd = async (who: Pick<Visitor, 'send'>) => {
      const { draft } = (await who.send('GET', `${path}/catalog/draft`)).json as { draft: Record<string, unknown> };
      return [draft.textsOnly, draft.editsTextsOnly];
    };
    expect((await change(owner, path, [['look/theme', 'es', 'Tema']], true)).status).toBe(200);
    expect([await mayEnd(translator), await mayEnd(owner)]).toEqual([
      [false, false],
      [true, true],
    ]);
    for (const [method, rest] of [
      ['POST', '/publish'],
      ['POST', '/undo'],
      ['DELETE', ''],
    ] as const) {
      const body = rest === '/publish' ? {} : undefined;
      expect([rest, (await send(translator, method, `${path}/catalog/draft${rest}`, body)).status]).toEqual([
        rest,
        403,
      ]);
    }
    expect((await send(owner, 'POST', `${path}/catalog/draft/undo`)).status).toBe(200);
    expect((await send(translator, 'POST', `${path}/catalog/draft/redo`)).status).toBe(403);
    expect((await change(translator, path, [['look/theme', 'de', 'Thema']], true)).status).toBe(200);
    expect(await mayEnd(translator)).toEqual([true, true]);
    expect((await send(translator, 'POST', `${path}/catalog/draft/undo`)).status).toBe(200);
  });

  test('imports texts only for these, and their token allows no more', async () => {
    const { translator, path, application } = await invited();
    const file = (language: string) => ({ file: `path,${language}\nlook/theme,Neu\n` });
    expect((await send(translator, 'POST', `${path}/catalog/translations/import`, file('Deutsch'))).status).toBe(200);
    expect((await send(translator, 'POST', `${path}/catalog/translations/import`, file('Español'))).status).toBe(403);
    const { accountId } = (await translator.send('GET', '/session')).json as { accountId: string };
    const token = await manageWith(server, { accountId, access: 'own', appIds: [application.appId] });
    const texts = (language: string) => ({ texts: [{ path: 'look/theme', language, text: language }] });
    expect((await token.send('PATCH', `${path}/catalog/translations`, texts('de'), ANY)).status).toBe(200);
    expect((await token.send('PATCH', `${path}/catalog/translations`, texts('es'), ANY)).status).toBe(403);
  });

  test('the limit changes with the role, is only for translators, and names languages of the application', async () => {
    const { translator, owner, path } = await invited();
    const { accountId } = (await translator.send('GET', '/session')).json as { accountId: string };
    const member = `${path}/members/${accountId}`;
    for (const languages of [['fr'], [], 'de', [1]]) {
      expect((await owner.send('PATCH', member, { role: 'translator', languages })).status).toBe(400);
    }
    expect((await owner.send('PATCH', member, { role: 'editor', languages: ['de'] })).json.message).toContain(
      'only for translators',
    );
    expect(
      (await owner.send('PATCH', member, { role: 'translator', languages: ['es', 'de', 'ES'] })).json,
    ).toMatchObject({
      languages: ['es', 'de'],
    });
    expect((await change(translator, path, [['look/theme', 'es', 'Tema']])).status).toBe(200);
    expect((await owner.send('PATCH', member, { role: 'translator' })).json).toMatchObject({ languages: null });
    expect((await change(translator, path, [['look/theme', 'en', 'Theme']])).status).toBe(200);
  });
});
