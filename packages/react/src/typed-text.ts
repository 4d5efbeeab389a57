import type { OptionKey, Scalar } from '@innkeeper/client';
import type { Value } from './selection-saver.ts';

/** What a field for typing shows of a value. */
export function textOf(value: Value | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.join('\n') : String(value);
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

/** Half of the world writes 1,5. */
function readNumber(text: string): number {
  const plain = text.trim().replace(/^([+-]?\d*),(\d+)$/, '$1.$2');
  return plain === '' ? Number.NaN : Number(plain);
}
