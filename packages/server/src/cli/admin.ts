import type { Command } from 'commander';
import { adminCreate } from './admin-create.ts';
import { adminDelete } from './admin-delete.ts';
import { adminList } from './admin-list.ts';
import { adminReset } from './admin-reset.ts';
import { defineGroup } from './command.ts';

export function admin(): Command {
  return defineGroup({
    name: 'admin',
    description: 'accounts of the developer portal',
    examples: [
      ['admin create --email ada@example.com', 'a new account, or a new sign-in link for one that is there'],
      ['admin list', 'who has one'],
      ['admin reset ada@example.com', 'she has lost her password, or her phone'],
      ['admin delete ada@example.com', 'ends her sessions and personal access tokens too'],
    ],
  })
    .addCommand(adminCreate())
    .addCommand(adminList())
    .addCommand(adminReset())
    .addCommand(adminDelete());
}
