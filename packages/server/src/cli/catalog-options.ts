import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { MAX_NOTE, readNote } from '../domain/required.ts';
import type { CommandOptions } from './command.ts';

export type CatalogOptions = CommandOptions & { app: string };

export const APP_OPTION = ['--app <ID>', 'clientId of the application'] as const;
/** The note of a publication, as the portal calls it. */
export const NOTE_OPTION = [
  '--note <text>',
  `why, at most ${MAX_NOTE} characters; shown with the revision`,
  parseNote,
] as const;
export const FILE_ARGUMENT = ['<FILE>', 'YAML or JSON; - reads from stdin'] as const;

/** The author of revisions made here. */
export function cliAuthor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // The user of a container may have no name.
    return 'cli';
  }
}

export function readWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Empty: none. */
function parseNote(text: string): string {
  const read = readNote(text);
  if ('problem' in read) throw new InvalidArgumentError(`It ${read.problem}.`);
  return read.note ?? '';
}
