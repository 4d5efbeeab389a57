import type { Scalar } from './catalog.ts';

/** The value of a selection, from its stored JSON. */
export function parseValue(json: string): Scalar | Scalar[] {
  return JSON.parse(json);
}

/** The same as a list. */
export function parseValues(json: string): Scalar[] {
  return [parseValue(json)].flat();
}
