import type { OptionKey, Scalar } from '@innkeeper/client';
import type { Value } from './selection-saver.ts';

/** What a field for typing shows of a value; also of one that only a newer service has. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * What is to be done about a typed text when the field is left. While something is being saved, the value shown is only
 * hoped for: what is the same as that is kept, because it would be lost if the service refuses.
 */
export function toCommit(
  key: OptionKey,
  { text, shown, isSaving }: { text: string; shown: Value | undefined; isSaving: boolean },
): Read | 'wait' | 'drop' {
  if (text === textOf(shown)) return isSaving ? 'wait' : 'drop';
  return readText(key, text);
}

/** `value` undefined: the field was emptied, and what it held is to be unset. */
export type Read = { value: Value | undefined } | 'not a number';

/** What was typed, as the type of the key has it. Whether it is allowed is for the service to say. */
export function readText({ value_type, multiple }: OptionKey, text: string): Read {
  const isNumber = value_type === 'integer' || value_type === 'number';
  const one = (each: string): Scalar => (isNumber ? readNumber(each) : each);
  if (multiple) {
    const lines = text.split('\n').map((line) => line.trim());
    const values = lines.filter((line) => line !== '').map(one);
    return values.includes(Number.NaN) ? 'not a number' : { value: values };
  }
  if (text.trim() === '' && value_type !== 'string') return { value: undefined };
  const value = one(text);
  return Number.isNaN(value) ? 'not a number' : { value };
}

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** A thousand and more for one half of the world, a little more than one for the other. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** Half of the world writes 1,5. */
function readNumber(text: string): number {
  const typed = text.trim();
  const plain = typed.replace(/^([+-]?\d*),(\d+)$/, '$1.$2');
  const value = DECIMAL.test(plain) && !AMBIGUOUS.test(typed) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : Number.NaN;
}
