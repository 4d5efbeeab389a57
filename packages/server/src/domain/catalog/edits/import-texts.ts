import { type FieldError, InnkeeperError } from '../../errors.ts';
import { mapSteps, type Steps } from '../../slices.ts';
import type { Catalog } from '../catalog.ts';
import type { Edit } from '../edit-catalog.ts';
import { languageFinder, type MergedText, mergeTexts, type OutdatedText } from '../merge-texts.ts';
import { readTextsFile } from '../read-texts-file.ts';
import type { PlacedProblem } from '../source.ts';
import type { TextEntry, TextsFile } from '../texts-file.ts';
import { changeTexts } from './translations.ts';

/** Maximum problems in a response: the next try reports the rest. */
const MAX_SHOWN = 200;

/**
 * Which texts of a file: all of them, preferring one side in conflicts; or specific ones, which overwrite the catalog.
 */
export type ImportScope = { prefer?: 'file' | 'catalog' } | { take: readonly { path: string; language: string }[] };

/** Reads the file; throws with every invalid line. */
export async function readSentFile(text: string, name: string | undefined): Promise<TextsFile> {
  const read = await readTextsFile(text, name);
  if ('problems' in read) throw brokenTexts(read.problems);
  return read.file;
}

/**
 * Imports all or some texts of a file into the catalog: all or none. `note` gets the texts that were translated from an
 * older source.
 */
export function applyImportedTexts(
  entries: readonly TextEntry[],
  { base, taken, note }: { base: Catalog | undefined; taken: ImportScope; note(outdated: OutdatedText[]): void },
): Edit {
  return function* (copy) {
    const { catalog } = copy;
    const chosen = 'take' in taken ? yield* chooseEntries(catalog, entries, taken.take) : entries;
    const prefer = 'take' in taken ? 'file' : taken.prefer;
    const merged = yield* mergeTexts(catalog, chosen, { ...(base && { base }), ...(prefer && { prefer }) });
    if (merged.problems.length > 0) throw brokenTexts(merged.problems);
    if (merged.conflicts.length > 0) {
      throw new InnkeeperError('textsConflict', { more: { conflicts: merged.conflicts.slice(0, MAX_SHOWN) } });
    }
    note(merged.outdated);
    const isTaken = ({ isConflict }: MergedText) => !isConflict || prefer === 'file';
    const texts = merged.texts.filter(isTaken);
    return yield* changeTexts(yield* mapSteps(texts, ({ path, tag, text }) => ({ path, language: tag, text })))(copy);
  };
}

function* chooseEntries(
  { languages }: Catalog,
  entries: readonly TextEntry[],
  take: readonly { path: string; language: string }[],
): Steps<TextEntry[]> {
  const findLanguage = languageFinder(languages);
  const tags = new Map<string, string>();
  const spotOf = ({ path, language }: { path: string; language: string }) => {
    if (!tags.has(language)) tags.set(language, findLanguage(language)?.tag ?? language);
    return `${tags.get(language)} ${path}`;
  };
  const wanted = new Map(yield* mapSteps(take, (each, index) => [spotOf(each), index] as const));
  const spots = yield* mapSteps(entries, spotOf);
  const chosen = entries.filter((_, index) => wanted.has(spots[index] as string));
  for (const spot of spots) wanted.delete(spot);
  const fields = [...wanted.values()].map((index) => ({ field: `take[${index}]`, message: 'is not in the file' }));
  if (fields.length > 0) throw new InnkeeperError('textsFileInvalid', { fields: fields.slice(0, MAX_SHOWN) });
  return chosen;
}

function brokenTexts(problems: readonly PlacedProblem[]): InnkeeperError {
  const fields: FieldError[] = problems.slice(0, MAX_SHOWN).map(({ line, column, path, message }) => ({
    field: 'file',
    message: `line ${line}${column > 1 ? `, column ${column}` : ''}: ${[path, message].filter(Boolean).join(' ')}`,
  }));
  return new InnkeeperError('textsFileInvalid', {
    fields,
    message: `The file is invalid: ${fields[0]?.message}. Nothing was changed.`,
  });
}
