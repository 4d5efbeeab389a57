import { parentPort } from 'node:worker_threads';
import { readCatalog } from '../domain/catalog/catalog.ts';
import { packDefinition } from '../domain/catalog/definition.ts';
import { readSentFile } from '../domain/catalog/import-texts.ts';
import { mergeTexts } from '../domain/catalog/merge-texts.ts';
import { compilePattern, type PatternCheck } from '../domain/catalog/pattern.ts';
import { readDefinition } from '../domain/catalog/read-definition.ts';
import { invalidCatalog } from '../domain/catalog/source.ts';
import { InnkeeperError } from '../domain/errors.ts';
import { finish, pack, unpack } from '../domain/slices.ts';
import { isObject, parseJsonObject } from '../domain/strict-json.ts';
import type { TaskName, Tasks } from '../domain/work.ts';
import type { TaskMessage, TaskResult } from './pool.ts';

/** A thread for work whose cost a caller can choose, so that the HTTP thread keeps serving others. */
parentPort?.on('message', (message: TaskMessage) => {
  void run(message).then((result) => parentPort?.postMessage(result));
});

async function run({ name, input }: TaskMessage): Promise<TaskResult> {
  const task = TASKS[name] as (input: unknown) => unknown;
  try {
    return { outcome: await task(input) };
  } catch (error) {
    if (!(error instanceof InnkeeperError)) return { failed: error };
    const { error: refused, message, fields, more } = error;
    return { refused, detail: { message, more, ...(fields && { fields }) } };
  }
}

/** A wrong file has as many problems as texts; no one reads more than these. */
const PROBLEMS_SHOWN = 200;

/** The tasks that run on worker threads. */
const TASKS: {
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
    return { stamp, entries: pack(entries), members: outline(members) };
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

/** The most that can be valid, and one more. */
const MAX_ITEMS = 100_001;

/**
 * Enough of an object to check its shape: a list of items with a few texts each. Anything more is invalid, and would hold
 * up the thread that receives it.
 */
function outline(members: Record<string, unknown>): Record<string, unknown> {
  const list = (value: unknown) => (Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(item) : bare(value));
  const item = (value: unknown) => (isObject(value) ? few(value, 3, bare) : bare(value));
  const bare = (value: unknown) => (value !== null && typeof value === 'object' ? {} : value);
  return few(members, 10, list);
}

function few(object: object, count: number, take: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object)
      .slice(0, count)
      .map(([name, value]) => [name, take(value)]),
  );
}

function refuse(field: string, message: string): InnkeeperError {
  return new InnkeeperError('badParameter', { fields: [{ field, message }], message: `${field} ${message}.` });
}
