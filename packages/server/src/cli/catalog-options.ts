import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { CommandOptions } from './command.ts';

export type CatalogOptions = CommandOptions & { app: string };

export const APP_OPTION = ['--app <ID>', 'clientId of the application'] as const;
export const FILE_ARGUMENT = ['<FILE>', 'YAML or JSON; - reads from stdin'] as const;

/** Who a revision made here is by. */
export function cliAuthor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container's user may have no name.
    return 'cli';
  }
}

export function readRevision(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('A revision is a whole number.');
  return Number(text);
}
