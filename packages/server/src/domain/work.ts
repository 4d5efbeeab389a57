import type { StoredCatalog } from '../storage/port.ts';
import type { PackedDefinition } from './catalog/definition.ts';
import type { MergedText, TextProblem } from './catalog/merge-texts.ts';
import type { PatternCheck } from './catalog/pattern.ts';
import type { Known } from './catalog/read-definition.ts';
import type { TextEntry } from './catalog/texts-file.ts';
import type { Packed } from './slices.ts';

/** The preview of an import of texts. */
type TextsPreview = { same: number; texts: Packed<MergedText>; problems: TextProblem[] };

/** A file of texts in a request body, with the other members. */
type SentTexts = {
  stamp: string | undefined;
  entries: Packed<TextEntry>;
  members: Record<string, unknown>;
};

/** Work whose cost a caller can choose: runs on its own thread, with a time limit. Inputs and results are plain data. */
export type Tasks = {
  /** A pattern that cannot be compiled matches nothing. */
  matchPatterns(checks: readonly PatternCheck[]): boolean[];
  /** The catalog in a request body, read with the existing catalog in view. */
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
   * Each application has one running task and a few waiting. Further tasks, and those that take too long, fail as
   * overloaded.
   */
  run<Name extends TaskName>(
    name: Name,
    input: Parameters<Tasks[Name]>[0],
    options: { appId: number },
  ): Promise<ReturnType<Tasks[Name]>>;
};
