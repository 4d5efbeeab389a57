import type { Command } from 'commander';
import { readUuid } from '../domain/users/user-code.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';

export function tokenRevoke(): Command {
  return defineCommand({
    name: 'revoke',
    description: 'revoke a personal access token immediately',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'the TOKEN ID from `token list`']],
  })
    .argument('<TOKENID>', 'id of the token, not the token itself')
    .action(run);
}

async function run(given: string, options: CommandOptions): Promise<void> {
  const tokenId = readUuid(given);
  const outcome =
    tokenId === undefined ? 'unknown' : await withManagement(options, ({ tokens }) => tokens.revoke(tokenId));
  if (outcome === 'unknown') {
    throw new Failure('no token with this id.', {
      wayOut: 'List tokens with: innkeeper token list',
    });
  }
  printResult(options, { tokenId, revoked: true }, () => `Revoked ${tokenId}. It has stopped working.`);
}
