/** The output of `innkeeper catalog types` for the catalog of the server's tests. */
export interface Catalog {
  languages: 'English' | 'en' | 'Deutsch' | 'de' | 'Deutsch (Österreich)' | 'de-AT';
  groups: {
    kitchen: {
      vegetarian: { type: 'boolean'; multiple: false; value: boolean; retired: never };
      fruit: { type: 'string'; multiple: true; value: 'apple' | 'apricot' | 'cherry'; retired: 'quince' };
      portions: { type: 'integer'; multiple: false; value: 1 | 2 | 4; retired: never };
      ratio: { type: 'number'; multiple: false; value: 1 | 1.5 | 2; retired: never };
    };
    open: {
      volume: { type: 'integer'; multiple: false; value: number; retired: never };
      motto: { type: 'string'; multiple: false; value: string; retired: never };
      birthday: { type: 'date'; multiple: false; value: string; retired: never };
      tags: { type: 'string'; multiple: true; value: string; retired: never };
    };
    // biome-ignore lint/complexity/noBannedTypes: what is written for a group without keys
    empty: {};
  };
}
