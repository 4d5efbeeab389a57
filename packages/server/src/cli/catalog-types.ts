import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { finish } from '../domain/slices.ts';
import { APP_OPTION, type CatalogOptions } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Misuse } from './failure.ts';
import { fileProblem } from './file-problem.ts';
import { printResult } from './print.ts';
import { refuseDatabaseFile } from './refuse-database-file.ts';
import { findApplication, withStorage } from './with-storage.ts';

type TypesOptions = CatalogOptions & { out?: string };

export function catalogTypes(): Command {
  return defineCommand({
    name: 'types',
    description: 'groups, keys and allowed values as a TypeScript module, for the client and the React package',
    settings: STORAGE_SETTINGS,
    examples: [
      [
        'catalog types --app 123456789_4f2c --out src/catalog.ts',
        'what the compiler is to check keys and values against',
      ],
      ['catalog types --app 123456789_4f2c --json', '{"revision","content"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .option('--out <file>', 'write there, in place of stdout')
    .action(run);
}

async function run(options: TypesOptions): Promise<void> {
  if (options.out !== undefined) refuseDatabaseFile(`--out ${options.out}`, options.out);
  const { readCatalog } = await import('../domain/catalog/catalog.ts');
  const { writeTypes } = await import('../domain/catalog/write-types.ts');
  const catalog = await withStorage(options, async ({ storage }) => {
    const { appId } = await findApplication(storage, options.app);
    return finish(readCatalog(await storage.catalogs.load(appId)));
  });
  const { revision } = catalog;
  const content = finish(writeTypes(catalog));
  if (options.out === undefined) {
    if (options.json) printResult(options, { revision, content }, () => content);
    else process.stdout.write(content);
    return;
  }
  await writeFile(options.out, content).catch((error: unknown) => {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new Misuse(`--out ${options.out}: ${problem}.`, { wayOut: 'Give a file that can be written.' });
  });
  printResult(options, { revision, file: options.out }, () => `Wrote ${options.out}, of revision ${revision}.`);
}
