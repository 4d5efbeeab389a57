import { Type } from '../../schema.ts';

/** The members of a body that brings a file of texts. */
export const TextsFileShape = {
  file: Type.String({ description: 'what the CSV or XLIFF 2 file holds, as text' }),
  name: Type.Optional(Type.String({ description: 'of the file: tells XLIFF from CSV where its beginning does not' })),
};

/** A file as it comes back from somebody who translated two texts, of which the catalog had one before. */
export const EXAMPLE_FILE = 'path,source,Deutsch\nappearance/theme,Theme,Farben\nappearance/theme=dark,Dark,Dunkel\n';
