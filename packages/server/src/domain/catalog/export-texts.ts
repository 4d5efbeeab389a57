import type { Application } from '../applications/application.ts';
import { type FieldError, InnkeeperError } from '../errors.ts';
import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { languageFinder } from './merge-texts.ts';
import { stampOf, writeTextsCsv } from './texts-file.ts';
import { sourceText, translatable } from './translatable.ts';

export const TEXT_FORMATS = ['csv', 'xliff'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

type ExportedTexts = { name: string; content: string };

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

const XLIFF_NAMESPACE = 'urn:oasis:names:tc:xliff:document:2.0';

/**
 * Texts of one language as XLIFF 2.0 (core). Undefined if there is nothing to translate: XLIFF requires at least one
 * unit. Units are identified by `name`, the path; `id` is only a token.
 */
export function* writeTextsXliff(catalog: Catalog, target: Language, stamp: string): Steps<string | undefined> {
  const byDefault = catalog.languages.find(({ isDefault }) => isDefault);
  if (!byDefault) return undefined;
  const units = yield* mapSteps(translatable(catalog), (item, index) => {
    const text = item.texts[target.tag];
    const state = text === undefined ? 'initial' : 'translated';
    return [
      `    <unit id="u${index + 1}" name="${attribute(item.path)}">`,
      `      <segment state="${state}">`,
      `        <source>${content(sourceText(item, byDefault))}</source>`,
      ...(text === undefined ? [] : [`        <target>${content(text)}</target>`]),
      '      </segment>',
      '    </unit>',
    ].join('\n');
  });
  if (units.length === 0) return undefined;
  return `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="${XLIFF_NAMESPACE}" version="2.0" srcLang="${attribute(byDefault.tag)}" trgLang="${attribute(target.tag)}">
  <file id="catalog" original="${attribute(stamp)}" canResegment="no" xml:space="preserve">
${units.join('\n')}
  </file>
</xliff>
`;
}

const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function attribute(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => NAMED[character] as string)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** XML cannot contain control characters, XLIFF can; a carriage return would be read back as a line feed. */
function content(text: string): string {
  return (
    text
      .replace(/[&<>]/g, (character) => NAMED[character] as string)
      .replaceAll('\r', '&#13;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this matches
      .replace(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (character) => {
        return `<cp hex="${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}"/>`;
      })
  );
}
