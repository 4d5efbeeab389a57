import { RE2JS } from 're2js';
import type { Constraint, Scalar, ValueType } from './catalog.ts';
import { isWholeSteps } from './exact-decimal.ts';

const TYPE_WORDS: Record<ValueType, string> = {
  boolean: 'true or false',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  date: 'a date as YYYY-MM-DD',
};

/** Why a value is not of the type, without coercion ("true" is not true, 1.0 is 1); undefined when it is. */
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

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Texts of an open key without a max_length of its own. */
export const MAX_TEXT = 4_000;

/** Why a value of the right type is outside an open key's constraint; undefined when it is inside. */
export function constraintProblem(constraint: Constraint, value: Scalar): string | undefined {
  const { min, max, step, pattern, maxLength } = constraint;
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  if (typeof value === 'number' && step !== undefined && !isWholeSteps(value, Number(min ?? 0), step)) {
    return `must be in steps of ${step}${min === undefined ? '' : ` from ${min}`}`;
  }
  if (typeof value === 'string') {
    const limit = maxLength ?? MAX_TEXT;
    if (value.length > limit && [...value].length > limit) return `must be at most ${limit} characters`;
    if (pattern !== undefined && !compilePattern(pattern).test(value)) return `must match ${pattern}`;
  }
  return undefined;
}

const patterns = new Map<string, { test(text: string): boolean }>();
const MAX_PATTERNS = 200;
/** RE2's time is the text times the pattern written out, so the latter is bounded too: before it is compiled, and after. */
const MAX_WRITTEN_OUT = 10_000;
const MAX_INSTRUCTIONS = 5_000;

/**
 * A pattern that has to match the whole text, as in HTML. RE2 knows no backtracking, and a pattern
 * whose repeats make it large is refused: no pattern and no text can make it hang. Throws with the reason.
 */
export function compilePattern(pattern: string): { test(text: string): boolean } {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    const repeats = pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
    const counts = [...repeats].map(([, from, to]) => Number(to || from));
    const writtenOut = pattern.length * (1 + counts.reduce((sum, count) => sum + count, 0));
    if (writtenOut > MAX_WRITTEN_OUT) throw new Error('its repeats make it too large');
    const re2 = RE2JS.compile(pattern);
    if (re2.programSize() > MAX_INSTRUCTIONS) throw new Error('its repeats make it too large');
    compiled = { test: (text) => re2.matches(text) };
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(pattern, compiled);
  }
  return compiled;
}
