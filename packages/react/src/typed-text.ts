import type { OptionKey, Scalar, Value } from '@innkeeper/client';
import { readNumber, writeNumber } from './numbers.ts';

/** What a text field shows for a value, even one that only a newer service has. */
export function textOf(value: unknown, locale: string): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((each) => textOf(each, locale)).join('\n');
  if (typeof value === 'number') return writeNumber(value, locale);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `value` undefined: the field was emptied, so its value is to be unset. */
export type Read = { value: Value | undefined } | 'notANumber';

/** Converts typed text by the type of the key. The service decides whether it is allowed. */
export function readText({ value_type, multiple }: OptionKey, text: string, locale: string): Read {
  const isNumber = value_type === 'integer' || value_type === 'number';
  const one = (each: string): Scalar => (isNumber ? readNumber(each, locale) : each);
  if (multiple) {
    const lines = text.split('\n').map((line) => line.trim());
    const values = lines.filter((line) => line !== '').map(one);
    return values.includes(Number.NaN) ? 'notANumber' : { value: values };
  }
  if (text.trim() === '') return { value: undefined };
  const value = one(text);
  return Number.isNaN(value) ? 'notANumber' : { value };
}
