import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { dim, printResult } from './print.ts';
import { layOut, visible } from './table.ts';
import { counted, readTime, showAge, showRoughly } from './time.ts';

export function tokenList(): Command {
  return defineCommand({
    name: 'list',
    description: 'list personal access tokens, oldest first, including expired ones',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['token list', 'print a table'],
      ['token list --json', '[{"tokenId","name","apps","access","createdAt","expiresAt","expired","lastUsedAt"}, …]'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const tokens = await withManagement(options, ({ tokens }) => tokens.list());
  printResult(options, tokens, () => {
    if (tokens.length === 0) return 'No tokens yet.\nCreate one with: innkeeper token create --name NAME';
    const now = Date.now();
    const head = ['TOKEN ID', 'FOR', 'MAY', 'EXPIRES', 'LAST USED', 'NAME'].map(dim);
    return layOut([
      head,
      ...tokens.map((token) => [
        token.tokenId,
        describeApps(token.apps),
        token.access,
        token.expired ? 'expired' : `in ${showRoughly(readTime(token.expiresAt) - now)}`,
        token.lastUsedAt === null ? 'never' : showAge(now - readTime(token.lastUsedAt)),
        visible(token.name),
      ]),
    ]);
  });
}

function describeApps(apps: string[] | null): string {
  if (apps === null) return 'all applications';
  return apps.length === 1 ? (apps[0] as string) : counted(apps.length, 'application');
}
