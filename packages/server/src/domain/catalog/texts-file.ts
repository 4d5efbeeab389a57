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
};

export type TextsFile = {
  /** The revision it was exported from, as `CLIENT_ID@REVISION`, where the file tells. */
  stamp?: string;
  entries: TextEntry[];
};

export type ReadTexts = { file: TextsFile } | { problems: PlacedProblem[] };

/** `123_abc@12` */
export function stampOf(clientId: string, revision: number): string {
  return `${clientId}@${revision}`;
}
