import { checkShape, type Structure, TYPE_WORDS } from '../../check-shape.ts';
import { CatalogFileSchema } from './file-schema.ts';
import { MAX_PROBLEMS } from './source.ts';

/** People write the file in YAML. */
const words = { ...TYPE_WORDS, object: 'a mapping', string: 'a string (quote it if it looks like another type)' };

/** Lists where parsed data does not have the catalog file's shape. */
export function checkStructure(data: unknown): Structure {
  return checkShape(CatalogFileSchema, data, { max: MAX_PROBLEMS, words });
}
