import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { dim, printResult } from './print.ts';
import { layOut } from './table.ts';
import { showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function adminList(): Command {
  return defineCommand({
    name: 'list',
    description: 'list portal accounts, oldest first',
    settings: STORAGE_SETTINGS,
    examples: [
      ['admin list', 'print a table'],
      ['admin list --json', '[{"accountId","email","role","createdAt"}, …]'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const accounts = await withStorage(options, ({ storage }) => storage.accounts.list());
  const rows = accounts.map(({ accountId, email, role, createdAt }) => ({
    accountId,
    email,
    role,
    createdAt: showTime(createdAt),
  }));
  printResult(options, rows, () => {
    if (rows.length === 0) return 'No accounts yet.\nCreate one with: innkeeper admin create --email ADDRESS';
    const head = ['ROLE', 'CREATED', 'E-MAIL'].map(dim);
    return layOut([head, ...rows.map(({ role, createdAt, email }) => [role, createdAt, email])]);
  });
}
