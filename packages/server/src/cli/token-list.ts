import type { Command } from 'commander';
import type { ManageTokenRecord } from '../storage/port.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { dim, printResult } from './print.ts';
import { layOut, visible } from './table.ts';
import { counted, showAge, showRoughly, showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function tokenList(): Command {
  return defineCommand({
    name: 'list',
    description: 'all personal access tokens, oldest first; expired ones too',
    settings: STORAGE_SETTINGS,
    examples: [
      ['token list', 'a table'],
      ['token list --json', '[{"tokenId","name","apps","access","createdAt","expiresAt","expired","lastUsedAt"}, …]'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { tokens, clientIds, now } = await withStorage(options, async ({ storage, now }) => {
    const tokens = await storage.manageTokens.list();
    const appIds = [...new Set(tokens.flatMap((token) => token.appIds ?? []))];
    const applications = await storage.applications.list(appIds);
    return { tokens, clientIds: new Map(applications.map(({ appId, clientId }) => [appId, clientId])), now: now() };
  });
  const appsOf = ({ appIds }: ManageTokenRecord) => appIds?.flatMap((appId) => clientIds.get(appId) ?? []) ?? null;
  const rows = tokens.map((token) => ({
    tokenId: token.tokenId,
    name: token.name,
    apps: appsOf(token),
    access: token.access,
    createdAt: showTime(token.createdAt),
    expiresAt: showTime(token.expiresAt),
    expired: token.expiresAt <= now,
    lastUsedAt: token.lastUsedAt === null ? null : showTime(token.lastUsedAt),
  }));
  printResult(options, rows, () => {
    if (tokens.length === 0) return 'No tokens yet.\nMake one with: innkeeper token create --name NAME';
    const head = ['TOKEN ID', 'FOR', 'MAY', 'EXPIRES', 'LAST USED', 'NAME'].map(dim);
    return layOut([
      head,
      ...tokens.map((token) => [
        token.tokenId,
        describeApps(appsOf(token)),
        token.access,
        token.expiresAt <= now ? 'expired' : `in ${showRoughly(token.expiresAt - now)}`,
        token.lastUsedAt === null ? 'never' : showAge(now - token.lastUsedAt),
        visible(token.name),
      ]),
    ]);
  });
}

function describeApps(apps: string[] | null): string {
  if (apps === null) return 'all applications';
  return apps.length === 1 ? (apps[0] as string) : counted(apps.length, 'application');
}
