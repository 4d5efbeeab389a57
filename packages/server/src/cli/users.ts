import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { usersExport } from './users-export.ts';
import { usersImport } from './users-import.ts';
import { usersDelete, usersResume, usersShow, usersSuspend } from './users-one.ts';

export function users(): Command {
  return defineGroup({
    name: 'users',
    description: 'import and export users with their selections; show, suspend, resume and delete one',
    examples: [
      ['users import users.ndjson --app 123456789_4f2c', 'put in the users of a file'],
      ['users export --app 123456789_4f2c > users.ndjson', 'write all users to a file'],
      ['users suspend ada@example.com --app 123456789_4f2c', 'lock a user out, without losing anything'],
    ],
  })
    .addCommand(usersImport())
    .addCommand(usersExport())
    .addCommand(usersShow())
    .addCommand(usersSuspend())
    .addCommand(usersResume())
    .addCommand(usersDelete());
}
