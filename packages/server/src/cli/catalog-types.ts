import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { fileProblem } from './file-problem.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';
import { refuseDatabaseFile } from './refuse-database-file.ts';

type TypesOptions = CatalogOptions & { out?: string; schemas?: boolean };

export function catalogTypes(): Command {
  return defineCommand({
    name: 'types',
    description: 'print a TypeScript module with groups, keys and values, for the client and React packages',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog types --app 123456789_4f2c --out src/catalog.ts', 'let the compiler check keys and values'],
      [
        'catalog types --app 123456789_4f2c --schemas --out src/catalog.ts',
        'with a Standard Schema validator of each key',
      ],
      ['catalog types --app 123456789_4f2c --json', '{"revision","content"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .option('--out <file>', 'write to this file instead of stdout')
    .option('--schemas', 'add a validator of each key, for forms and routes that take a Standard Schema')
    .action(run);
}

async function run(options: TypesOptions): Promise<void> {
  if (options.out !== undefined) refuseDatabaseFile(`--out ${options.out}`, options.out);
  const { revision, content } = await withManagement(options, ({ catalog }) =>
    catalog.types(options.app, options.schemas ?? false),
  );
  if (options.out === undefined) {
    if (options.json) printResult(options, { revision, content }, () => content);
    else process.stdout.write(content);
    return;
  }
  await writeFile(options.out, content).catch((error: unknown) => {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`--out ${options.out}: ${problem}.`, { wayOut: 'Choose a writable file.' });
  });
  printResult(options, { revision, file: options.out }, () => `Wrote revision ${revision} to ${options.out}.`);
}
