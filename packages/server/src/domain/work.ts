import type { StoredCatalog } from '../storage/port.ts';
import type { PackedDefinition } from './catalog/definition.ts';
import type { MergedText, TextProblem } from './catalog/merge-texts.ts';
import type { Known } from './catalog/read-definition.ts';
import type { TextEntry } from './catalog/texts-file.ts';
import type { Packed } from './packed.ts';

/** A text and the pattern that it has to match. */
export type PatternCheck = { pattern: string; text: string };

/** What a preview shows of a file's texts. */
type TextsPreview = { same: number; texts: Packed<MergedText>; problems: TextProblem[] };

/** A file of texts in the body of a request, with its other members. */
type SentTexts = {
  stamp: string | undefined;
  entries: Packed<TextEntry>;
  members: Record<string, unknown>;
};

/** Work whose cost a caller can choose: it runs on a thread of its own, with a time limit. Inputs and results are plain data. */
export type Tasks = {
  /** A pattern that cannot be compiled matches nothing. */
  matchPatterns(checks: readonly PatternCheck[]): boolean[];
  /** The catalog in the body of a request, by what is known of the catalog already. */
  readCatalogBody(input: { body: Uint8Array; known: Known }): PackedDefinition;
  readTextsBody(input: { body: Uint8Array }): SentTexts;
  previewTexts(input: {
    entries: Packed<TextEntry>;
    catalog: StoredCatalog;
    base: StoredCatalog | undefined;
  }): TextsPreview;
};
export type TaskName = keyof Tasks;

export type Work = {
  /**
   * Each application has one task at work at a time and few waiting; one more is refused as overloaded, and so is a task that takes too long.
   */
  run<Name extends TaskName>(
    name: Name,
    input: Parameters<Tasks[Name]>[0],
    options: { appId: number },
  ): Promise<ReturnType<Tasks[Name]>>;
};
