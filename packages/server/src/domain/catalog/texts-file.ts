import type { PlacedProblem } from './source.ts';

/** Translations on their way to translators and back: one text of one thing in one language, and where it stands. */
export type TextEntry = {
  path: string;
  /** As the file names it: by name or tag. */
  language: string;
  text: string;
  /** What it was translated from, where the file tells. */
  source?: string;
  line: number;
  /** Why the line cannot be read; the other lines can. */
  problem?: string;
};

export type TextsFile = {
  /** The revision it was exported from, as `CLIENT_ID@REVISION`, where the file tells. */
  stamp?: string;
  entries: TextEntry[];
};

/** Ten times what the largest catalogs hold; what a file of one-letter texts could hold besides would fill the memory. */
export const MAX_TEXTS = 500_000;
export const tooManyTexts = `contains more than ${MAX_TEXTS} texts: give it in parts`;

export type ReadTexts = { file: TextsFile } | { problems: PlacedProblem[] };

/** `123_abc@12` */
export function stampOf(clientId: string, revision: number): string {
  return `${clientId}@${revision}`;
}
