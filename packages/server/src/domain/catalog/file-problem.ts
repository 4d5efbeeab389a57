import { type FieldError, InnkeeperError } from '../errors.ts';
import type { Texts } from './catalog.ts';

/** What is wrong with a file, and where: the path leads to the line; with `atName`, to the name before the colon. */
export type FileProblem = { path: (string | number)[]; message: string; atName?: true };
export type Report = (path: (string | number)[], message: string, atName?: true) => void;
export type TextReader = (translations: Record<string, string> | undefined, path: (string | number)[]) => Texts;

/** Maximum problems in a response: the next try reports the rest. */
const MAX_SHOWN = 200;

/** `groups[0].keys[1].type`; names that are not plain identifiers are in brackets too. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === 'string' && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part)) {
      return before === '' ? part : `${before}.${part}`;
    }
    return `${before}[${JSON.stringify(part)}]`;
  }, '');
}

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
