import { type FieldError, InnkeeperError } from '../errors.ts';
import type { Texts } from './catalog.ts';

/** A position in a text, counted from 1. */
export type Place = { line: number; column: number };

/** Something wrong in a text, and where. */
export type PlacedProblem = Place & { path: string; message: string };

/** A path into parsed data; with `atName`, the name at its end rather than the value. */
export type Spot = { path: readonly (string | number)[]; atName?: true };

/** Parsed data, and a lookup from its paths to positions in the text. */
type Source = { data: unknown; locate(spots: readonly Spot[]): Place[] };

/** `flaws`: problems in a text that can be read anyway. */
export type ReadSource = { source: Source; flaws: PlacedProblem[] } | { problems: PlacedProblem[] };

/** Further problems are not reported: after fixing this many, people check again anyway. */
export const MAX_PROBLEMS = 200;

/** Four times the depth that any valid file has. */
export const MAX_DEPTH = 64;

/** `groups[0].keys[1].type`; names that are not plain identifiers are in brackets too. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === 'string' && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part)) {
      return before === '' ? part : `${before}.${part}`;
    }
    return `${before}[${JSON.stringify(part)}]`;
  }, '');
}

/** `catalog.yaml:12:9 groups[0].keys[1].type must be one of …` */
export function showProblem(file: string, { line, column, path, message }: PlacedProblem): string {
  return [`${file}:${line}:${column}`, path, message].filter((part) => part !== '').join(' ');
}

/** Finds the line and column of offsets in a text. */
export function createPlaces(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

/** Sets an own property of any name, even `__proto__`. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

/** What is wrong with a file, and where: the path leads to the line; with `atName`, to the name before the colon. */
export type FileProblem = { path: (string | number)[]; message: string; atName?: true };
export type Report = (path: (string | number)[], message: string, atName?: true) => void;
export type TextReader = (translations: Record<string, string> | undefined, path: (string | number)[]) => Texts;

/** Maximum problems in a response: the next try reports the rest. */
const MAX_SHOWN = 200;

/** Problems within `base` are reported relative to it: a client that sent one key did not send the others. */
export function invalidCatalog(
  problems: readonly FileProblem[],
  base: readonly (string | number)[] = [],
): InnkeeperError {
  const fields: FieldError[] = problems.slice(0, MAX_SHOWN).map(({ path, message }) => {
    const isWithin = base.length < path.length && base.every((part, index) => path[index] === part);
    return { field: showPath(isWithin ? path.slice(base.length) : path), message };
  });
  const [first] = fields;
  const problem = first && `${first.field} ${first.message}`.trim();
  return new InnkeeperError('catalogInvalid', {
    fields,
    ...(problem && { message: `The catalog is invalid: ${problem}. Nothing was published.` }),
  });
}
