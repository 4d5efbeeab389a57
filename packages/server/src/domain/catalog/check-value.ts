import type { Constraint, Scalar, ValueType } from './catalog.ts';
import { isWholeSteps } from './exact-decimal.ts';
import { compilePattern } from './pattern.ts';

const TYPE_WORDS: Record<ValueType, string> = {
  boolean: 'true or false',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  date: 'a date as YYYY-MM-DD',
};

/** Why a value does not have the type, without coercion ("true" is not true, 1.0 is 1); undefined if it does. */
export function typeProblem(type: ValueType, value: unknown): string | undefined {
  return isOfType(type, value) ? undefined : `must be ${TYPE_WORDS[type]}`;
}

function isOfType(type: ValueType, value: unknown): value is Scalar {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000');
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'date':
      return typeof value === 'string' && isDate(value);
  }
}

/** Whether a text has nothing visible in it, only spaces and invisible characters. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Maximum length of texts of an open key without max_length. */
export const MAX_TEXT = 4_000;

/** Whether a text matches a pattern; undefined if there is too much to match. */
export type Matches = (pattern: string, text: string) => boolean | undefined;
const matchNow: Matches = (pattern, text) => compilePattern(pattern).test(text);

/** Why a value of the right type violates an open key's constraint; undefined if it does not. */
export function constraintProblem(
  constraint: Constraint,
  value: Scalar,
  matches: Matches = matchNow,
): string | undefined {
  const { min, max, step, pattern, maxLength } = constraint;
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  if (typeof value === 'number' && step !== undefined && !isWholeSteps(value, Number(min ?? 0), step)) {
    return `must be in steps of ${step}${min === undefined ? '' : ` from ${min}`}`;
  }
  if (typeof value === 'string') {
    const limit = maxLength ?? MAX_TEXT;
    if (value.length > limit && [...value].length > limit) return `must be at most ${limit} characters`;
    const isMatch = pattern === undefined || matches(pattern, value);
    if (isMatch === undefined) return 'is one of too many long texts with a pattern: shorten some, or their patterns';
    if (!isMatch) return `must match ${pattern}`;
  }
  return undefined;
}
