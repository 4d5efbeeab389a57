import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { usersExport } from './users-export.ts';
import { usersImport } from './users-import.ts';
import { usersLink } from './users-link.ts';
import { usersDelete, usersResume, usersShow, usersSuspend } from './users-one.ts';

export function users(): Command {
  return defineGroup({
    name: 'users',
    description:
      'import and export users with their selections; show, suspend, resume and delete one; create a preference link',
    examples: [
      ['users import users.ndjson --app 123456789_4f2c', 'import users from a file'],
      ['users export --app 123456789_4f2c > users.ndjson', 'export all users to a file'],
      ['users suspend ada@example.com --app 123456789_4f2c', 'block a user, keeping all data'],
    ],
  })
    .addCommand(usersImport())
    .addCommand(usersExport())
    .addCommand(usersShow())
    .addCommand(usersSuspend())
    .addCommand(usersResume())
    .addCommand(usersLink())
    .addCommand(usersDelete());
}
