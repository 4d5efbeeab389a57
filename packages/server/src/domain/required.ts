import { InnkeeperError } from './errors.ts';

type MissingError =
  | 'clientIdMissing'
  | 'clientSecretMissingOnCreate'
  | 'clientSecretMissingOnExchange'
  | 'clientUserIdMissing'
  | 'clientUserNameMissing'
  | 'specialTokenMissing';

/** A required member of the body, or the contract's error saying why it counts as missing. */
export function required(value: unknown, field: string, error: MissingError): string {
  const problem = missingReason(value);
  if (problem === undefined) return value as string;
  throw new InnkeeperError(
    error,
    problem === 'is missing' ? {} : { message: `${field} ${problem}, so it counts as missing.` },
  );
}

/**
 * Why a field counts as missing, worded to follow the field's name; undefined if it does not.
 */
export function missingReason(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is null';
  if (typeof value !== 'string') return 'is not a string';
  if (value.trim() === '') return 'is blank';
  if (value.length > MAX_LENGTH && lengthInCharacters(value) > MAX_LENGTH)
    return `is longer than ${MAX_LENGTH} characters`;
  if (value.includes('\u0000')) return 'contains the character U+0000';
  if (!value.isWellFormed()) return 'contains a lone surrogate';
  return undefined;
}

// Unicode controls, line separators, and characters that embed, override or isolate a writing direction.
const DECEIVING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Why a value cannot be a name shown in lists and logs: it must not change how the text around it looks. */
export function displayNameProblem(value: unknown): string | undefined {
  const problem = missingReason(value);
  if (problem !== undefined) return problem;
  return DECEIVING.test(value as string) ? 'contains a control or text direction character' : undefined;
}

const MAX_LENGTH = 255;

/** Characters as people and PostgreSQL count them: an emoji is one. */
function lengthInCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export const MAX_NOTE = 1000;

/** Why a revision is published, in the publisher's words. A blank note counts as none. */
export function readNote(given = ''): { note: string | undefined } | { problem: string } {
  const note = given.trim();
  if (note.length > MAX_NOTE) return { problem: `must have at most ${MAX_NOTE} characters` };
  if (note.includes('\u0000') || !note.isWellFormed()) return { problem: 'contains characters that are not text' };
  return { note: note === '' ? undefined : note };
}
