import { readSentFile } from '../domain/catalog/edits/import-texts.ts';
import { mergeTexts } from '../domain/catalog/merge-texts.ts';
import { compilePattern } from '../domain/catalog/pattern.ts';
import { readDefinition } from '../domain/catalog/read-definition.ts';
import { invalidCatalog } from '../domain/catalog/show-path.ts';
import type { TextsFile } from '../domain/catalog/texts-file.ts';
import type { TaskName, Tasks } from '../domain/work.ts';
import { readJsonObject } from '../http/json-body.ts';
import { checkMembers, refuse } from '../http/manage/input.ts';

/** A file of another application has as many problems as it has texts; nobody reads on after these. */
const PROBLEMS_TOLD = 200;

/** What runs on the worker threads. */
export const TASKS: {
  [Name in TaskName]: (input: Parameters<Tasks[Name]>[0]) => ReturnType<Tasks[Name]> | Promise<ReturnType<Tasks[Name]>>;
} = {
  matchPatterns: (checks) => checks.map(({ pattern, text }) => compilePattern(pattern).test(text)),
  readCatalogBody({ body }) {
    const read = readDefinition(readJson(body));
    if ('problems' in read) throw invalidCatalog(read.problems);
    return read.definition;
  },
  readTextsBody: ({ body, members }) => readTexts(body, members),
  async readTextsStamp({ body, members }) {
    return (await readTexts(body, members)).file.stamp;
  },
  async previewTexts({ body, members, catalog, base }) {
    const { file } = await readTexts(body, members);
    const { texts, problems } = mergeTexts(catalog, file.entries, { ...(base && { base }), prefer: 'file' });
    const spots = new Set([...texts, ...problems].map(({ path, tag, line }) => `${line} ${tag} ${path}`));
    return { same: file.entries.length - spots.size, texts, problems: problems.slice(0, PROBLEMS_TOLD) };
  },
};

function readJson(body: Uint8Array): Record<string, unknown> {
  return readJsonObject({ body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) });
}

async function readTexts(
  body: Uint8Array,
  names: readonly string[],
): Promise<{ file: TextsFile; members: Record<string, unknown> }> {
  const { file, ...members } = checkMembers(readJson(body), ['file', ...names]);
  if (typeof file !== 'string') throw refuse('file', 'must be the text of a CSV or XLIFF file');
  const { name } = members;
  if (name !== undefined && typeof name !== 'string') throw refuse('name', 'must be a text');
  return { file: await readSentFile(file, name), members };
}
