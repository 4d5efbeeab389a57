/** A page before it is drawn. */
export type Source = {
  /** Its address below /guide/; '' is the first page. */
  path: string;
  /** The file it is written in, from the root of the repository; of pages made at build, where their links start from. */
  file: string;
  title: string;
  markdown: string;
};

export type Section = { title: string; pages: Source[] };
