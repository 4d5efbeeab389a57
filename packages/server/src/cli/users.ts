import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { usersExport } from './users-export.ts';
import { usersImport } from './users-import.ts';

export function users(): Command {
  return defineGroup({
    name: 'users',
    description: 'users with their selections: in and out as NDJSON',
    examples: [
      ['users import users.ndjson --app 123456789_4f2c', 'put in the users of a file'],
      ['users export --app 123456789_4f2c > users.ndjson', 'write all users to a file'],
    ],
  })
    .addCommand(usersImport())
    .addCommand(usersExport());
}
