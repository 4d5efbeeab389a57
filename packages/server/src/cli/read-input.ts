import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ParsedFile } from '../domain/catalog/parse-file.ts';
import type { PlacedProblem } from '../domain/catalog/source.ts';
import { Failure, UsageError } from './failure.ts';
import { fileProblem } from './file-problem.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';

export type Input = { name: string; text: string };

/** Far more than any file here needs. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The text of a file, or of stdin for `-`. */
export async function readInput(file: string): Promise<Input> {
  const name = file === '-' ? 'stdin' : file;
  const bytes = await readBytes(file);
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    throw new Failure(`${visible(name)} is not UTF-8.`, { wayOut: 'Save it as UTF-8 and try again.' });
  }
}

export async function readBytes(file: string): Promise<Buffer> {
  const name = file === '-' ? 'stdin' : file;
  try {
    const isTooLarge = file !== '-' && (await stat(file)).size > MAX_BYTES;
    const bytes = isTooLarge ? undefined : file === '-' ? await buffer(process.stdin) : await readFile(file);
    if (bytes && bytes.length <= MAX_BYTES) return bytes;
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`${visible(name)}: ${problem}.`, { wayOut: 'Choose a file, or - for stdin.' });
  }
  throw new Failure(`${visible(name)} is larger than ${MAX_BYTES / 1024 / 1024} MiB.`);
}

/**
 * The definition in a catalog file; all of its problems are reported at once, by line and column. If nothing else is
 * wrong, names that only an existing catalog can have are left to the caller.
 */
export async function readCatalogFile(file: string): Promise<Extract<ParsedFile, { definition: unknown }>> {
  const input = await readInput(file);
  const { parseCatalogFile } = await import('../domain/catalog/parse-file.ts');
  const strictly = parseCatalogFile(input.text, input.name);
  if (!('problems' in strictly)) return strictly;
  const parsed = parseCatalogFile(input.text, input.name, { names: 'any', hasLanguages: false });
  if ('problems' in parsed) throw await brokenFile(input.name, strictly.problems);
  return parsed;
}

async function brokenFile(name: string, problems: readonly PlacedProblem[], wayOut?: string): Promise<Failure> {
  const { showProblem } = await import('../domain/catalog/source.ts');
  return new Failure(`${visible(name)} is invalid: ${counted(problems.length, 'problem')}.`, {
    problems: problems.map((problem) => visible(showProblem(name, problem))),
    ...(wayOut !== undefined && { wayOut }),
  });
}
