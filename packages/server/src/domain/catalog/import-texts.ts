import type { Storage } from '../../storage/port.ts';
import { type FieldError, InnkeeperError } from '../errors.ts';
import { inSlices, mapSteps, type Steps } from '../slices.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import type { Edit } from './edit-catalog.ts';
import { changeTexts } from './edits/languages-and-texts.ts';
import { languageFinder, type MergedText, type MergedTexts, mergeTexts, type OutdatedText } from './merge-texts.ts';
import { type PublishOutcome, publishCatalog } from './publish.ts';
import type { PlacedProblem } from './source.ts';
import { type ReadTexts, stampOf, type TextEntry, type TextsFile } from './texts-file.ts';

type ImportOutcome =
  | (PublishOutcome & Pick<MergedTexts, 'outdated'>)
  | ({ outcome: 'refused' } & Pick<MergedTexts, 'problems' | 'conflicts' | 'outdated'>);

/** Imports the texts of a file into an application's catalog, all or none, in one revision. */
export async function importTexts(
  storage: Storage,
  application: { appId: number; clientId: string },
  file: TextsFile,
  options: { author: string; now: number; prefer?: 'file' | 'catalog'; note?: string },
): Promise<ImportOutcome> {
  const { appId } = application;
  const current = await inSlices(readCatalog(await storage.catalogs.load(appId)));
  const base = await loadExported(storage, application, file.stamp);
  const merging = { ...(base && { base }), ...(options.prefer && { prefer: options.prefer }) };
  const { definition, problems, conflicts, outdated } = await inSlices(mergeTexts(current, file.entries, merging));
  if (problems.length > 0 || conflicts.length > 0) return { outcome: 'refused', problems, conflicts, outdated };
  const { author, now, note } = options;
  const published = await publishCatalog(storage, appId, definition, {
    author,
    now,
    allowBreaking: false,
    expectedRevision: current.revision,
    ...(note !== undefined && { note }),
  });
  return { ...published, outdated };
}

/** The catalog that a file was exported from, if the file says so. */
export async function loadExported(
  storage: Storage,
  { appId, clientId }: { appId: number; clientId: string },
  stamp: string | undefined,
): Promise<Catalog | undefined> {
  const revision = readStamp(stamp, clientId);
  const stored = revision === undefined ? undefined : await storage.catalogs.loadAt(appId, revision);
  return stored && inSlices(readCatalog(stored));
}

/** The revision a file was exported at, if it is from this application: another's revision numbers mean nothing here. */
function readStamp(stamp: string | undefined, clientId: string): number | undefined {
  const [, revision] = /@(\d{1,15})$/.exec(stamp ?? '') ?? [];
  return revision !== undefined && stamp === stampOf(clientId, Number(revision)) ? Number(revision) : undefined;
}

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

/** Reads CSV or XLIFF 2, told apart by file name or content. Loads only the parser it needs. */
export async function readTextsFile(text: string, name = ''): Promise<ReadTexts> {
  const isXml = /\.(xlf|xliff|xml)$/i.test(name) || /^\ufeff?\s*</.test(text);
  return isXml
    ? (await import('./read-xliff.ts')).readTextsXliff(text)
    : (await import('./read-csv.ts')).readTextsCsv(text);
}
