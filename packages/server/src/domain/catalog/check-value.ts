import type { AllowedValue, Constraint, Scalar, ValueType } from './catalog.ts';
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
  if (isOfType(type, value)) return undefined;
  if (type === 'string' && typeof value === 'string') return 'must not contain U+0000 or a lone surrogate';
  if (type === 'integer' && Number.isInteger(value)) {
    return `must be from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
  }
  return `must be ${TYPE_WORDS[type]}`;
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

/**
 * Numbers by their decimal digits. With binary fractions, 0.3 would not be a multiple of 0.1, and a number could
 * silently be stored as another one.
 */
type Decimal = { digits: string; exponent: number };

/** No exactly representable number reasonably needs more digits. */
const MAX_LENGTH = 1_000;

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Whether a number, as written, is stored exactly. */
export function isKeptExactly(written: string): boolean {
  const kept = Number(written);
  if (!Number.isFinite(kept) || written.length > MAX_LENGTH) return false;
  const before = readDecimal(written);
  const after = readDecimal(String(kept));
  return before === undefined || (before.digits === after?.digits && before.exponent === after.exponent);
}

/** undefined for anything but decimal digits. */
function readDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [undefined, undefined];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (whole + fraction === '') return undefined;
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return { digits: '0', exponent: 0 };
  return {
    digits: (sign === '-' ? '-' : '') + significant,
    exponent: Number(exponent) - fraction.length + (digits.length - significant.length),
  };
}

/** Whether `value` is exactly a whole number of steps away from `start`. */
export function isWholeSteps(value: number, start: number, step: number): boolean {
  const decimals = [value, start, step].map((number) => readDecimal(String(number)) as Decimal);
  const least = Math.min(...decimals.map(({ exponent }) => exponent));
  const [a = 0n, b = 0n, c = 1n] = decimals.map(
    ({ digits, exponent }) => BigInt(digits) * 10n ** BigInt(exponent - least),
  );
  return (a - b) % c === 0n;
}

/** Fewer values are found faster one by one. */
const MANY = 16;
const byValue = new WeakMap<readonly AllowedValue[], ReadonlyMap<Scalar, AllowedValue>>();

/** As fast for a key with thousands of values as for one with few: a user may have chosen thousands. */
export function findAllowed(values: readonly AllowedValue[] | null, value: unknown): AllowedValue | undefined {
  if (values === null) return undefined;
  if (values.length <= MANY) return values.find((each) => each.value === value);
  let known = byValue.get(values);
  if (!known) {
    known = new Map(values.map((each) => [each.value, each]));
    byValue.set(values, known);
  }
  return known.get(value as Scalar);
}

/** The value of a selection, from its stored JSON. */
export function parseValue(json: string): Scalar | Scalar[] {
  return JSON.parse(json);
}

/** The same as a list. */
export function parseValues(json: string): Scalar[] {
  return [parseValue(json)].flat();
}
