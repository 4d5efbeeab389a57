import type { Scalar, ValueType } from '../domain/catalog/catalog.ts';
import { Failure } from './failure.ts';
import { visible } from './table.ts';

/** A value as typed: 2 is a number for a number key, and a string for a string key. */
export function readTypedValue(text: string, type: ValueType): Scalar {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

export function unknownKey(key: string, isAmbiguous: boolean): Failure {
  return isAmbiguous
    ? new Failure(`"${visible(key)}" names several keys.`, { wayOut: 'Give the UID of the key.' })
    : new Failure(`there is no option key "${visible(key)}".`, { wayOut: 'Write GROUP.KEY, or the UID of the key.' });
}
