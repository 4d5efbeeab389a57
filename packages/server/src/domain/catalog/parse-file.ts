import { messageOf } from '../../caught.ts';
import { finish } from '../slices.ts';
import { findExcess } from '../strict-json.ts';
import { isKeptExactly } from './check-value.ts';
import type { CatalogDefinition } from './definition.ts';
import { type Known, readDefinition } from './read-definition.ts';
import { readYaml } from './read-yaml.ts';
import {
  createPlaces,
  MAX_DEPTH,
  MAX_PROBLEMS,
  type Place,
  type PlacedProblem,
  type ReadSource,
  type Spot,
  showPath,
} from './source.ts';

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

type Path = (string | number)[];

/**
 * Reads JSON. Its parser gives no positions and ignores repeated names and lost digits, so those are checked
 * afterwards.
 */
export function readJson(text: string): ReadSource {
  const place = createPlaces(text);
  const excess = findExcess(text, MAX_DEPTH);
  if (excess) return { problems: [{ ...place(excess.offset), path: '', message: excess.message }] };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const what = message.replace(/(, .*is not valid JSON| in JSON at position).*/s, '');
    const offset = /at position (\d+)/.exec(message)?.[1] ?? findUnexpected(text);
    const problem = what.replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    return { problems: [{ ...place(Number(offset)), path: '', message: problem }] };
  }

  const problems: PlacedProblem[] = [];
  const report = (offset: number, path: Path, message: string): boolean => {
    problems.push({ ...place(offset), path: showPath(path), message });
    return problems.length < MAX_PROBLEMS;
  };
  walk(text, {
    name: (path, offset, isRepeated) => !isRepeated || report(offset, path, 'is a duplicate'),
    value(path, offset, token) {
      if (!/^[-\d]/.test(token) || isKeptExactly(token)) return true;
      return report(offset, path, `cannot be stored exactly: ${token} would become ${Number(token)}`);
    },
  });
  return { flaws: problems, source: { data, locate: (spots) => findAll(text, spots).map(place) } };
}

/**
 * Finds where the parser met an unexpected token, which it does not say: at the end of the shortest prefix that fails
 * the same way, or at the end of the text.
 */
function findUnexpected(text: string): number {
  const hasIt = (length: number): boolean => {
    try {
      JSON.parse(text.slice(0, length));
      return false;
    } catch (error) {
      return messageOf(error).startsWith('Unexpected token');
    }
  };
  let [without, having] = [0, text.length + 1];
  while (having - without > 1) {
    const middle = (without + having) >> 1;
    if (hasIt(middle)) having = middle;
    else without = middle;
  }
  return Math.min(having - 1, text.length);
}

/** Called for each name and value in a text, in order; `false` ends the walk. */
type Visitor = {
  name(path: Path, offset: number, isRepeated: boolean): boolean;
  value(path: Path, offset: number, token: string): boolean;
};

/** A container around the current position: an object, with the names it has so far, or an array. */
type Frame = { names: Set<string> | undefined };

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Walks a text known to be valid JSON. */
function walk(text: string, visitor: Visitor): void {
  const frames: Frame[] = [];
  const path: Path = [];
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const frame = frames.at(-1);
    if (token === ':') {
      isName = false;
    } else if (token === ',') {
      if (frame?.names) isName = true;
      else path[path.length - 1] = (path.at(-1) as number) + 1;
    } else if (token === '}' || token === ']') {
      frames.pop();
      path.pop();
      isName = false;
    } else if (isName && frame?.names) {
      const name = JSON.parse(token) as string;
      path[path.length - 1] = name;
      if (!visitor.name(path, index, frame.names.has(name))) return;
      frame.names.add(name);
    } else {
      if (!visitor.value(path, index, token)) return;
      isName = token === '{';
      if (token !== '{' && token !== '[') continue;
      frames.push({ names: isName ? new Set() : undefined });
      path.push(0);
    }
  }
}

/** The offsets of what some paths lead to, or of the innermost existing part on the way. One walk for all. */
function findAll(text: string, spots: readonly Spot[]): number[] {
  const offsets = new Map<string, number | undefined>();
  for (const { path } of spots) {
    for (let length = 0; length <= path.length; length += 1) offsets.set(toSpot(path.slice(0, length)), undefined);
  }
  const names = new Map<string, number>();
  walk(text, {
    name(path, offset) {
      const spot = toSpot(path);
      if (offsets.has(spot)) names.set(spot, offset);
      return true;
    },
    value(path, offset) {
      const spot = toSpot(path);
      if (offsets.has(spot)) offsets.set(spot, offset);
      return true;
    },
  });
  return spots.map(({ path, atName }) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const spot = toSpot(path.slice(0, length));
      const offset = (atName && length === path.length ? names.get(spot) : undefined) ?? offsets.get(spot);
      if (offset !== undefined) return offset;
    }
    return 0;
  });
}

function toSpot(path: readonly (string | number)[]): string {
  return path.map((part) => `\0${part}`).join('');
}
