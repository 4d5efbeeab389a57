import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';

export function token(): Command {
  return defineGroup({
    name: 'token',
    description: 'personal access tokens, which open /manage/v1 for programs',
    examples: [
      [
        'token create --name deploy --app 123456789_4f2c --access write',
        'to change one catalog, for 90 days; it is shown once',
      ],
      ['token list', 'which there are, and when each was last used'],
      ['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'it leaked, or is no longer needed'],
    ],
  })
    .addCommand(tokenCreate())
    .addCommand(tokenList())
    .addCommand(tokenRevoke());
}
