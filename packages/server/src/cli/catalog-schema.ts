import type { Command } from 'commander';
import { type CommandOptions, defineCommand } from './command.ts';
import { printResult } from './print.ts';

export function catalogSchema(): Command {
  return defineCommand({
    name: 'schema',
    description: 'print the JSON Schema of catalog files, for validation and completion in editors',
    settings: [],
    examples: [
      [
        'catalog schema > catalog.schema.json',
        'next to a file that starts with # yaml-language-server: $schema=catalog.schema.json',
      ],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { catalogJsonSchema } = await import('../domain/catalog/file-schema.ts');
  const schema = catalogJsonSchema();
  printResult(options, schema, () => JSON.stringify(schema, null, 2));
}
