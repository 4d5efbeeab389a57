import { Type } from '../../schema.ts';

/** The members of a body that brings a file of texts. */
export const TextsFileShape = {
  file: Type.String({ description: 'content of the CSV or XLIFF 2 file' }),
  name: Type.Optional(Type.String({ description: 'file name; distinguishes XLIFF from CSV if the content does not' })),
};
