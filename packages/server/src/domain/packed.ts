import type { Steps } from './slices.ts';

/**
 * A long list on its way between threads, as pieces of JSON: the receiver can pause between pieces, which structured
 * cloning does not allow.
 */
export type Packed<T> = { pieces: string[]; readonly of?: T };

const PIECE = 50_000;

export function pack<T>(items: readonly T[]): Packed<T> {
  const pieces: string[] = [];
  let piece = '';
  for (const item of items) {
    piece += `${piece === '' ? '[' : ','}${JSON.stringify(item)}`;
    if (piece.length < PIECE) continue;
    pieces.push(`${piece}]`);
    piece = '';
  }
  if (piece !== '') pieces.push(`${piece}]`);
  return { pieces };
}

export function* unpack<T>({ pieces }: Packed<T>): Steps<T[]> {
  const items: T[] = [];
  for (const piece of pieces) {
    for (const item of JSON.parse(piece) as T[]) items.push(item);
    yield;
  }
  return items;
}
