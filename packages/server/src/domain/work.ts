import type { Catalog } from './catalog/catalog.ts';
import type { CatalogDefinition } from './catalog/definition.ts';
import type { MergedText, TextProblem } from './catalog/merge-texts.ts';
import type { TextsFile } from './catalog/texts-file.ts';

/** A text and the pattern that it has to match. */
export type PatternCheck = { pattern: string; text: string };

/** What a preview shows of a file's texts. */
export type TextsPreview = { same: number; texts: MergedText[]; problems: TextProblem[] };

/** Work whose cost a caller can choose: it runs on a thread of its own, with a time limit. Inputs and results are plain data. */
export type Tasks = {
  matchPatterns(checks: readonly PatternCheck[]): boolean[];
  /** The catalog in the body of a request. */
  readCatalogBody(input: { body: Uint8Array }): CatalogDefinition;
  /** The file of texts in the body of a request, with its other members. */
  readTextsBody(input: { body: Uint8Array; members: readonly string[] }): {
    file: TextsFile;
    members: Record<string, unknown>;
  };
  /** The same without the texts: where the file is from. */
  readTextsStamp(input: { body: Uint8Array; members: readonly string[] }): string | undefined;
  previewTexts(input: {
    body: Uint8Array;
    members: readonly string[];
    catalog: Catalog;
    base: Catalog | undefined;
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
