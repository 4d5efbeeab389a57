import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { dim, printResult } from './print.ts';
import { layOut, visible } from './table.ts';

export function appList(): Command {
  return defineCommand({
    name: 'list',
    description: 'list applications, oldest first',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app list', 'print a table'],
      ['app list --json', '[{"clientId","name","createdAt"}, …]'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { rows, place } = await withManagement(options, async ({ applications, place }) => ({
    rows: await applications.list(),
    place,
  }));
  printResult(options, rows, () => {
    if (rows.length === 0) {
      return `No applications yet in ${place}.\nCreate one with: innkeeper app create --name "My application"`;
    }
    const head = ['CLIENT ID', 'CREATED (UTC)', 'NAME'].map(dim);
    return layOut([head, ...rows.map((row) => [row.clientId, row.createdAt, visible(row.name)])]);
  });
}
