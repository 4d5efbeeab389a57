import { readCatalog } from '../domain/catalog/catalog.ts';
import { packDefinition } from '../domain/catalog/definition.ts';
import { invalidCatalog } from '../domain/catalog/file-problem.ts';
import { readSentFile } from '../domain/catalog/import-texts.ts';
import { mergeTexts } from '../domain/catalog/merge-texts.ts';
import { compilePattern } from '../domain/catalog/pattern.ts';
import { readDefinition } from '../domain/catalog/read-definition.ts';
import { InnkeeperError } from '../domain/errors.ts';
import { pack, unpack } from '../domain/packed.ts';
import { finish } from '../domain/slices.ts';
import { parseJsonObject } from '../domain/strict-json.ts';
import type { PatternCheck, TaskName, Tasks } from '../domain/work.ts';

/** A wrong file has as many problems as texts; nobody reads more than these. */
const PROBLEMS_SHOWN = 200;

/** The tasks that run on worker threads. */
export const TASKS: {
  [Name in TaskName]: (input: Parameters<Tasks[Name]>[0]) => ReturnType<Tasks[Name]> | Promise<ReturnType<Tasks[Name]>>;
} = {
  matchPatterns: (checks) => checks.map(isMatch),
  readCatalogBody({ body, known }) {
    const read = finish(readDefinition(parseJsonObject(body), { known }));
    if ('problems' in read) throw invalidCatalog(read.problems);
    return packDefinition(read.definition);
  },
  async readTextsBody({ body }) {
    const { file, ...members } = parseJsonObject(body);
    if (typeof file !== 'string') throw refuse('file', 'must be the text of a CSV or XLIFF file');
    const { name } = members;
    if (name !== undefined && typeof name !== 'string') throw refuse('name', 'must be a string');
    const { stamp, entries } = await readSentFile(file, name);
    return { stamp, entries: pack(entries), members };
  },
  previewTexts({ entries: packed, catalog, base }) {
    const entries = finish(unpack(packed));
    const { same, texts, problems } = finish(
      mergeTexts(finish(readCatalog(catalog)), entries, {
        ...(base && { base: finish(readCatalog(base)) }),
        prefer: 'file',
      }),
    );
    return { same, texts: pack(texts), problems: problems.slice(0, PROBLEMS_SHOWN) };
  },
};

function isMatch({ pattern, text }: PatternCheck): boolean {
  try {
    return compilePattern(pattern).test(text);
  } catch {
    return false;
  }
}

function refuse(field: string, message: string): InnkeeperError {
  return new InnkeeperError('badParameter', { fields: [{ field, message }], message: `${field} ${message}.` });
}
