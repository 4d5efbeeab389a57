import type { Application } from '../applications/application.ts';
import { type FieldError, InnkeeperError } from '../errors.ts';
import type { Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { languageFinder } from './merge-texts.ts';
import { writeTextsCsv } from './texts-csv.ts';
import { stampOf } from './texts-file.ts';
import { writeTextsXliff } from './texts-xliff.ts';

export const TEXT_FORMATS = ['csv', 'xliff'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

export type ExportedTexts = { name: string; content: string };

/** A file for translators: CSV with all or some languages, or XLIFF with one. */
export function* exportTexts(
  application: Pick<Application, 'clientId' | 'name'>,
  catalog: Catalog,
  { format, languages: words }: { format: TextFormat; languages: readonly string[] },
): Steps<ExportedTexts> {
  const chosen = chooseLanguages(catalog, words);
  const stamp = stampOf(application.clientId, catalog.revision);
  if (format === 'csv') {
    const name = fileName(application, words.length > 0 ? chosen : [], catalog.revision, 'csv');
    return { name, content: yield* writeTextsCsv(catalog, chosen, stamp) };
  }
  const [target, ...more] = words.length > 0 ? chosen : chosen.filter(({ isDefault }) => !isDefault);
  if (!target || more.length > 0) {
    throw refuse({
      field: 'language',
      message: 'must name one language: an XLIFF file contains one',
      allowed: tagsOf(catalog),
    });
  }
  const content = yield* writeTextsXliff(catalog, target, stamp);
  if (content === undefined) {
    throw refuse({
      field: 'format',
      message: 'must be csv: an XLIFF file needs at least one text, and this catalog has none',
    });
  }
  return { name: fileName(application, [target], catalog.revision, 'xlf'), content };
}

function chooseLanguages(catalog: Catalog, words: readonly string[]): Language[] {
  if (words.length === 0) return catalog.languages;
  const findLanguage = languageFinder(catalog.languages);
  const chosen = words.map((word) => {
    const language = findLanguage(word);
    if (language) return language;
    throw refuse({
      field: 'language',
      message: `"${word}" is not a language of this application`,
      allowed: tagsOf(catalog),
    });
  });
  return [...new Set(chosen)];
}

function tagsOf({ languages }: Catalog): string[] {
  return languages.map(({ tag }) => tag);
}

function refuse(field: FieldError): InnkeeperError {
  return new InnkeeperError('badParameter', { fields: [field], message: `${field.field} ${field.message}.` });
}

/** `demo-de-r7.xlf`: application, language and revision, in characters that are safe in any file name. */
function fileName(
  { name }: Pick<Application, 'name'>,
  languages: readonly Language[],
  revision: number,
  ending: string,
): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '');
  const tags = languages.length > 3 ? [`${languages.length}-languages`] : languages.map(({ tag }) => tag);
  return `${[slug || 'application', ...(tags.length > 0 ? tags : ['texts']), `r${revision}`].join('-')}.${ending}`;
}
