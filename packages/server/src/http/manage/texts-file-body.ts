import { Type } from '../../schema.ts';

/** The members of a body that brings a file of texts. */
export const TextsFileShape = {
  file: Type.String({ description: 'content of the CSV or XLIFF 2 file' }),
  name: Type.Optional(Type.String({ description: 'file name; distinguishes XLIFF from CSV if the content does not' })),
};

/** A file as it comes back from somebody who translated two texts, of which the catalog had one before. */
export const EXAMPLE_FILE = 'path,source,Deutsch\nappearance/theme,Theme,Farben\nappearance/theme=dark,Dark,Dunkel\n';
