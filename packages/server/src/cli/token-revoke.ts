import type { Command } from 'commander';
import { readUuid } from '../domain/users/user-code.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';

export function tokenRevoke(): Command {
  return defineCommand({
    name: 'revoke',
    description: 'make a personal access token stop working, at once and everywhere',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'the TOKEN ID that `token list` shows']],
  })
    .argument('<TOKENID>', 'its id, not the token itself')
    .action(run);
}

async function run(given: string, options: CommandOptions): Promise<void> {
  const tokenId = readUuid(given);
  const outcome =
    tokenId === undefined ? 'unknown' : await withManagement(options, ({ tokens }) => tokens.revoke(tokenId));
  if (outcome === 'unknown') {
    throw new Failure('there is no token with this id.', {
      wayOut: 'See them all with: innkeeper token list',
    });
  }
  printResult(options, { tokenId, revoked: true }, () => `Revoked ${tokenId}. It has stopped working.`);
}
