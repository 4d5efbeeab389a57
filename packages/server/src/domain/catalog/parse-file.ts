import { finish } from '../slices.ts';
import { findExcess } from '../strict-json.ts';
import type { CatalogDefinition } from './definition.ts';
import { type Known, readDefinition } from './read-definition.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';
import { MAX_DEPTH, MAX_PROBLEMS, type Place, type PlacedProblem, showPath } from './source.ts';

/** In UTF-16 units. A catalog of 5,000 keys with values in 20 languages is about 20 million. */
export const MAX_FILE_LENGTH = 32 * 1024 * 1024;

/** `data` is the file itself, in the form of JSON. */
export type ParsedFile = { definition: CatalogDefinition; data: unknown } | { problems: PlacedProblem[] };

/** A catalog file: its definition, or what is wrong with it, by line and column. */
export function parseCatalogFile(text: string, fileName = '', known?: Known): ParsedFile {
  if (text.length > MAX_FILE_LENGTH)
    return refuse(`is longer than ${MAX_FILE_LENGTH / 1024 / 1024} million characters`);
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (bare.trim() === '') return refuse('the file is empty');
  const read = isJson(bare, fileName) ? readJson(bare) : readYaml(bare);
  if ('problems' in read) return read;

  const { source, flaws } = read;
  const checked = finish(readDefinition(source.data, { ...(known && { known }) }));
  if ('definition' in checked) return flaws.length > 0 ? { problems: flaws } : { ...checked, data: source.data };
  const reported = checked.problems.slice(0, MAX_PROBLEMS - flaws.length);
  const places = source.locate(reported);
  const problems = reported.map(({ path, message }, index) => ({
    ...(places[index] as Place),
    path: path.length === 0 ? 'the file' : showPath(path),
    message,
  }));
  return { problems: [...flaws, ...problems].sort((a, b) => a.line - b.line || a.column - b.column) };
}

function refuse(message: string): ParsedFile {
  return { problems: [{ line: 1, column: 1, path: '', message }] };
}

/** By file name; without a telling one, text that looks like JSON and parses strictly is JSON. YAML is the fallback. */
function isJson(text: string, fileName: string): boolean {
  if (/\.json$/i.test(fileName)) return true;
  if (/\.ya?ml$/i.test(fileName) || !/^\s*\{/.test(text)) return false;
  // The YAML parser detects excessive depth itself.
  if (findExcess(text, MAX_DEPTH)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
