import type { Command } from 'commander';
import { adminCreate } from './admin-create.ts';
import { adminDelete } from './admin-delete.ts';
import { adminList } from './admin-list.ts';
import { adminReset } from './admin-reset.ts';
import { defineGroup } from './command.ts';

export function admin(): Command {
  return defineGroup({
    name: 'admin',
    description: 'manage portal accounts',
    examples: [
      ['admin create --email ada@example.com', 'create an account, or a new sign-in link for an existing one'],
      ['admin list', 'list accounts'],
      ['admin reset ada@example.com', 'lost password or phone'],
      ['admin delete ada@example.com', 'also ends sessions and personal access tokens'],
    ],
  })
    .addCommand(adminCreate())
    .addCommand(adminList())
    .addCommand(adminReset())
    .addCommand(adminDelete());
}
