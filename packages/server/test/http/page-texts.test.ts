import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import { type PageTexts, PageWords } from '../../src/domain/preferences/page-texts.ts';
import { databases } from '../databases.ts';
import { scratchFile } from '../scratch-file.ts';
import { SECRET, startTestServer } from './start.ts';

const { tag: _, ...ENGLISH } = new PageWords().find('en');
const FRENCH: PageTexts = { ...ENGLISH, invalid: 'Ce lien n’est pas valide', atMost: 'Au plus {max}.' };

async function written(content: unknown): Promise<string> {
  const file = scratchFile('json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('the page supports further languages, and custom texts', async () => {
  const pageTexts = await written({ 'fr-CA': FRENCH, de: { invalid: 'Der Link geht nicht mehr' } });
  const server = await startTestServer(await (databases[0] as (typeof databases)[0]).fresh(), { pageTexts });
  try {
    const titleIn = async (language: string) => {
      const { text } = await server.send('GET', '/p/nothing', { headers: { 'accept-language': language } });
      return /<html lang="([^"]*)".*<h1>(.*)<\/h1>/s.exec(text)?.slice(1);
    };
    expect(await titleIn('fr-CA')).toEqual(['fr-CA', 'Ce lien n’est pas valide']);
    expect(await titleIn('de-AT')).toEqual(['de', 'Der Link geht nicht mehr']);
    expect(await titleIn('es')).toEqual(['es', 'Este enlace no es válido']);
    expect(await titleIn('nl')).toEqual(['en', 'This link is not valid']);
  } finally {
    await server.close();
  }
});

test('texts are found by tag, then by language, then in English', () => {
  const words = new PageWords({ 'pt-BR': { ...FRENCH, title: 'Preferências' } });
  expect(['pt-br', 'de-CH', 'pt', undefined].map((tag) => words.find(tag).tag)).toEqual(['pt-BR', 'de', 'en', 'en']);
});

test.each<[string, unknown, string]>([
  ['no JSON', '{', 'must be a JSON object'],
  ['a list', [], 'must be a JSON object'],
  ['no tag', { 'not a tag': {} }, '"not a tag" is not a language tag'],
  ['no texts', { fr: 'bonjour' }, 'fr must be an object of texts'],
  ['a missing text', { fr: { ...FRENCH, save: undefined } }, 'fr.save is missing; in English: "Save"'],
  ['an unknown text', { de: { nothing: 'x' } }, 'de.nothing is not a text of the page'],
  ['a blank text', { de: { save: ' ' } }, 'de.save must be a text of 1 to 500 characters'],
  ['a number', { de: { save: 1 } }, 'de.save must be a text of 1 to 500 characters'],
  ['a lost placeholder', { de: { atMost: 'Zu viel' } }, 'de.atMost must have the placeholders {max}'],
])('the start fails with a file of %s', async (_what, content, problem) => {
  const pageTexts = await written(content);
  const start = () => readConfig({ databaseUrl: 'sqlite::memory:', secret: SECRET, pageTexts }, { env: {} });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(`INNKEEPER_PAGE_TEXTS is ${pageTexts}: ${problem}`);
});

test('the start fails if the file is missing', () => {
  const start = () => readConfig({ secret: SECRET, pageTexts: '/nowhere/texts.json' }, { env: {} });
  expect(start).toThrow('INNKEEPER_PAGE_TEXTS is /nowhere/texts.json: the file cannot be read (ENOENT)');
});
