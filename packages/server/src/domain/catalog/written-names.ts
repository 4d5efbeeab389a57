import type { Scalar } from './catalog.ts';

export function literal(value: Scalar): string {
  return typeof value === 'string' ? quote(value) : String(value);
}

export function property(name: string): string {
  // As a plain member of an object literal, it would set the prototype.
  if (name === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Direction marks that make code read differently from how it is compiled: they are written as escapes. */
export const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g;

export function quote(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll(/[\u2028\u2029]/g, escapeMark)
    .replaceAll(DIRECTION_MARKS, escapeMark);
  return `'${inner}'`;
}

function escapeMark(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
