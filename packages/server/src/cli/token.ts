import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';

export function token(): Command {
  return defineGroup({
    name: 'token',
    description: 'manage personal access tokens for the management API',
    examples: [
      ['token create --name deploy --app 123456789_4f2c --access write', 'edit one catalog, for 90 days; shown once'],
      ['token list', 'list tokens with their last use'],
      ['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'revoke a leaked or unused token'],
    ],
  })
    .addCommand(tokenCreate())
    .addCommand(tokenList())
    .addCommand(tokenRevoke());
}
