import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { describeDatabase } from './describe-database.ts';
import { dim, printResult } from './print.ts';
import { layOut, visible } from './table.ts';
import { showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function appList(): Command {
  return defineCommand({
    name: 'list',
    description: 'all applications, oldest first',
    settings: STORAGE_SETTINGS,
    examples: [
      ['app list', 'a table'],
      ['app list --json', '[{"clientId","name","createdAt"}, …]'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { applications, database } = await withStorage(options, async ({ storage, config }) => ({
    applications: await storage.applications.list(),
    database: describeDatabase(config.databaseUrl),
  }));
  const rows = applications.map(({ clientId, name, createdAt }) => ({
    clientId,
    name,
    createdAt: showTime(createdAt),
  }));
  printResult(options, rows, () => {
    if (rows.length === 0) {
      return `No applications yet in ${database}.\nMake one with: innkeeper app create --name "My application"`;
    }
    const head = ['CLIENT ID', 'CREATED (UTC)', 'NAME'].map(dim);
    return layOut([head, ...rows.map((row) => [row.clientId, row.createdAt, visible(row.name)])]);
  });
}
