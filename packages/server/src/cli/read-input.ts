import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ParsedFile } from '../domain/catalog/parse-file.ts';
import type { PlacedProblem } from '../domain/catalog/source.ts';
import { Failure } from './failure.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';

export type Input = { name: string; text: string };

/** The text of a file, or of stdin for `-`. */
export async function readInput(file: string): Promise<Input> {
  const name = file === '-' ? 'stdin' : file;
  try {
    const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = READ_PROBLEMS[code ?? ''];
    if (!reason) throw error;
    throw new Failure(`${visible(name)}: ${reason}.`, { wayOut: 'Check the path and who may read it.' });
  }
}

const READ_PROBLEMS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
};

/** The definition in a catalog file; everything that is wrong with it, by line and column, is told at once. */
export async function readCatalogFile(
  file: string,
): Promise<Extract<ParsedFile, { definition: unknown }>['definition']> {
  const input = await readInput(file);
  const { parseCatalogFile } = await import('../domain/catalog/parse-file.ts');
  const parsed = parseCatalogFile(input.text, input.name);
  if ('problems' in parsed) throw await brokenFile(input.name, parsed.problems);
  return parsed.definition;
}

export async function brokenFile(name: string, problems: readonly PlacedProblem[], wayOut?: string): Promise<Failure> {
  const { showProblem } = await import('../domain/catalog/source.ts');
  return new Failure(`${visible(name)} cannot be used: ${counted(problems.length, 'problem')}.`, {
    problems: problems.map((problem) => visible(showProblem(name, problem))),
    ...(wayOut !== undefined && { wayOut }),
  });
}
