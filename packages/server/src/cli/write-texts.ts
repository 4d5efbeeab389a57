import type { Catalog, Language } from '../domain/catalog/catalog.ts';
import { finish } from '../domain/slices.ts';
import { Failure, Misuse } from './failure.ts';

/** A file for translators. */
export async function writeTexts(
  catalog: Catalog,
  { app, format, language }: { app: string; format: 'csv' | 'xliff'; language: string | undefined },
): Promise<string> {
  const { stampOf } = await import('../domain/catalog/texts-file.ts');
  const stamp = stampOf(app, catalog.revision);
  const chosen = await chooseLanguages(catalog, language);
  if (format === 'csv') {
    const { writeTextsCsv } = await import('../domain/catalog/texts-csv.ts');
    return finish(writeTextsCsv(catalog, chosen, stamp));
  }
  const [target, ...more] = language === undefined ? chosen.filter(({ isDefault }) => !isDefault) : chosen;
  if (!target || more.length > 0) {
    throw new Misuse('an XLIFF file contains one language.', {
      wayOut: `Add --language with one of: ${catalog.languages.map(({ name }) => name).join(', ')}`,
    });
  }
  const { writeTextsXliff } = await import('../domain/catalog/texts-xliff.ts');
  const content = finish(writeTextsXliff(catalog, target, stamp));
  if (content === undefined) throw new Failure('nothing to translate: the catalog is empty.');
  return content;
}

async function chooseLanguages(catalog: Catalog, word: string | undefined): Promise<Language[]> {
  if (word === undefined) return catalog.languages;
  const { findLanguage } = await import('../domain/catalog/merge-texts.ts');
  const language = findLanguage(catalog.languages, word);
  if (language) return [language];
  throw new Misuse(`"${word}" is not a language of this catalog.`, {
    wayOut: `Languages: ${catalog.languages.map(({ name, tag }) => `${name} (${tag})`).join(', ')}`,
  });
}
