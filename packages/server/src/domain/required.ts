import { InnkeeperError } from './errors.ts';

type MissingError =
  | 'clientIdMissing'
  | 'clientSecretMissingOnCreate'
  | 'clientSecretMissingOnExchange'
  | 'clientUserIdMissing'
  | 'clientUserNameMissing'
  | 'specialTokenMissing';

/** A field of the body that has to be there, or the error of the contract that says why it counts as missing. */
export function required(value: unknown, field: string, error: MissingError): string {
  const problem = whyMissing(value);
  if (problem === undefined) return value as string;
  throw new InnkeeperError(
    error,
    problem === 'is missing' ? {} : { message: `${field} ${problem}, so it counts as missing.` },
  );
}

/** Why a field counts as missing (CONTRACT.md section 2), in words that follow the field's name; undefined when it does not. */
export function whyMissing(value: unknown): string | undefined {
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

// Unicode's controls, separators of lines, and what embeds, overrides or isolates a direction of writing.
const DECEIVING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Why it cannot be a name that people are shown in lists and logs: one that rewrites what stands around it is none. */
export function whyNoName(value: unknown): string | undefined {
  const problem = whyMissing(value);
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
