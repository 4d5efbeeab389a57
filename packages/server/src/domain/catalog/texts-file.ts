import type { PlacedProblem } from './source.ts';

/** Translations on their way to translators and back: one text of one item in one language, with its position. */
export type TextEntry = {
  path: string;
  /** As named in the file: by name or tag. */
  language: string;
  text: string;
  /** What it was translated from, if the file says so. */
  source?: string;
  line: number;
  /** Why the line cannot be read; other lines can. */
  problem?: string;
};

export type TextsFile = {
  /** The revision it was exported from, as `CLIENT_ID@REVISION`, if the file says so. */
  stamp?: string;
  entries: TextEntry[];
};

/** Ten times what the largest catalogs have; without a limit, a file of one-letter texts could fill the memory. */
export const MAX_TEXTS = 500_000;
export const tooManyTexts = `contains more than ${MAX_TEXTS} texts: give it in parts`;

export type ReadTexts = { file: TextsFile } | { problems: PlacedProblem[] };

/** `123_abc@12` */
export function stampOf(clientId: string, revision: number): string {
  return `${clientId}@${revision}`;
}
