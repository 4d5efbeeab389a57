import { readSentFile } from '../../domain/catalog/edits/import-texts.ts';
import type { TextsFile } from '../../domain/catalog/texts-file.ts';
import { Type } from '../../schema.ts';
import { refuse } from './input.ts';

/** The members of a body that brings a file of texts. */
export const TextsFileShape = {
  file: Type.String({ description: 'what the CSV or XLIFF 2 file holds, as text' }),
  name: Type.Optional(Type.String({ description: 'of the file: tells XLIFF from CSV where its beginning does not' })),
};

export async function readTextsFileMembers({ file, name }: { file?: unknown; name?: unknown }): Promise<TextsFile> {
  if (typeof file !== 'string') throw refuse('file', 'must be the text of a CSV or XLIFF file');
  if (name !== undefined && typeof name !== 'string') throw refuse('name', 'must be a text');
  return readSentFile(file, name);
}

/** A file as it comes back from somebody who translated two texts, of which the catalog had one before. */
export const EXAMPLE_FILE = 'path,source,Deutsch\nappearance/theme,Theme,Farben\nappearance/theme=dark,Dark,Dunkel\n';
