import type { Command } from 'commander';
import { type CommandOptions, defineCommand } from './command.ts';
import { printResult } from './print.ts';

export function catalogSchema(): Command {
  return defineCommand({
    name: 'schema',
    description: 'the JSON Schema of catalog files, with which editors check and complete them',
    settings: [],
    examples: [
      [
        'catalog schema > catalog.schema.json',
        'beside a file that begins with # yaml-language-server: $schema=catalog.schema.json',
      ],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { catalogJsonSchema } = await import('../domain/catalog/file-schema.ts');
  const schema = catalogJsonSchema();
  printResult(options, schema, () => JSON.stringify(schema, null, 2));
}
