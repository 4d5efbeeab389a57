/** The source that a text was made for. Both are hashes: domain/catalog/text-states.ts. */
export type TextSource = {
  /** Of place, language and text. */
  textKey: string;
  /** Of the source text, with the language that it is in. */
  sourceKey: string;
};

export type TextState = TextSource & { reviewed: boolean };

type Review = { appId: number; texts: TextSource[]; reviewed: boolean; languages: string[] };

/** Publishing and saving a draft add sources too: of texts that stay while their source changes. What is known already stays. */
export interface TextStateStore {
  list(appId: number): Promise<TextState[]>;
  /** That somebody confirmed these texts for these sources, or withdrew that. No two are of one text. */
  review(review: Review): Promise<'reviewed' | 'application-gone'>;
}
