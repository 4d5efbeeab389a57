import { type Command, Option } from 'commander';
import type { CatalogFile } from '../domain/catalog/file-schema.ts';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';

const FORMATS = ['yaml', 'json', 'csv', 'xliff'] as const;
type ExportOptions = CatalogOptions & { format?: (typeof FORMATS)[number]; language?: string; revision?: number };

export function catalogExport(): Command {
  return defineCommand({
    name: 'export',
    description: 'export the catalog for `catalog apply`, or its texts for translators',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog export --app 123456789_4f2c > catalog.yaml', 'without archived items; applying it changes nothing'],
      ['catalog export --app 123456789_4f2c --format csv > texts.csv', 'all texts, for a spreadsheet'],
      ['catalog export --app 123456789_4f2c --format xliff --language de > de.xlf', 'for a translation tool'],
      ['catalog export --app 123456789_4f2c --revision 7 > catalog.yaml', 'an earlier revision'],
      ['catalog export --app 123456789_4f2c --format csv --json', '{"revision","format","content"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .addOption(new Option('--format <format>', 'file format (default: yaml)').choices(FORMATS))
    .option('--language <language>', 'with csv and xliff: export only this language, by name or tag')
    .option('--revision <n>', 'export this revision', readRevision)
    .action(run);
}

async function run(options: ExportOptions): Promise<void> {
  const format = options.format ?? (options.json ? 'json' : 'yaml');
  const isTexts = format === 'csv' || format === 'xliff';
  if (options.language !== undefined && !isTexts) {
    throw new UsageError(`--language requires --format csv or xliff; a ${format} file contains all languages.`);
  }
  const { revision, content } = await withManagement(options, async ({ catalog }) => {
    const { app, revision, language } = options;
    const at = { ...(revision !== undefined && { revision }), ...(language !== undefined && { language }) };
    if (isTexts) return catalog.texts(app, { format, ...at });
    const found = await catalog.read(app, revision);
    return { revision: found.revision, content: await writeFile(found, format, app) };
  });
  // If JSON was not requested as a format, it is the result itself.
  if (options.json && options.format === undefined) printResult(options, JSON.parse(content), () => content);
  else if (options.json) printResult(options, { revision, format, content }, () => content);
  else process.stdout.write(content);
}

async function writeFile(
  { revision, file }: { revision: number; file: CatalogFile },
  format: 'yaml' | 'json',
  app: string,
): Promise<string> {
  const { writeJson, writeYaml } = await import('../domain/catalog/write-file.ts');
  if (format === 'json') return writeJson(file);
  return writeYaml(file, [
    `The catalog of ${app}, revision ${revision}. Edit it, then run: innkeeper catalog plan FILE --app ${app}`,
    'For completion in an editor: innkeeper catalog schema > catalog.schema.json',
    'yaml-language-server: $schema=catalog.schema.json',
  ]);
}
