import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { sourceText, translatable } from './translatable.ts';

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
