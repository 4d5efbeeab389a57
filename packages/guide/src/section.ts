/** A page before rendering. */
export type Source = {
  /** Its address below /guide/; '' is the first page. */
  path: string;
  /** Its file, from the root of the repository; for generated pages, the base of their links. */
  file: string;
  title: string;
  markdown: string;
};

export type Section = { title: string; pages: Source[] };
