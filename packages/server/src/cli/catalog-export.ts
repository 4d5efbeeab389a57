import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { CatalogFile } from '../domain/catalog/file-schema.ts';
import { APP_OPTION, type CatalogOptions, readWholeNumber } from './catalog-options.ts';
import { type CommandOptions, defineCommand, defineManagementCommand } from './command.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { fileProblem, UsageError } from './failure.ts';
import { bold, printResult, visible } from './output.ts';
import { showChanges } from './show-changes.ts';
import { withManagement } from './with-management.ts';

export function catalogShow(): Command {
  return defineManagementCommand({
    name: 'show',
    description: 'show who published a revision, when, and what it changed',
    examples: [
      ['catalog show 7 --app 123456789_4f2c', 'the changes; `catalog export --revision 7` prints the full catalog'],
      ['catalog show 7 --app 123456789_4f2c --json', '{"revision","createdAt","author","authors","note"?,"changes"}'],
    ],
  })
    .argument('<REVISION>', 'revision number', readWholeNumber)
    .requiredOption(...APP_OPTION)
    .action(runShow);
}

async function runShow(wanted: number, options: CatalogOptions): Promise<void> {
  const record = await withManagement(options, ({ catalog }) => catalog.revision(options.app, wanted));
  const { revision, createdAt, author, authors, note, changes } = record;
  const why = note === undefined ? '' : `\n${visible(note)}\n`;
  printResult(
    options,
    { revision, createdAt, author, authors, ...(note !== undefined && { note }), changes },
    () =>
      `${bold(`Revision ${revision}`)}, ${createdAt} UTC, by ${visible([...new Set([...authors, author])].join(', '))}\n${why}\n${showChanges(changes)}`,
  );
}

const FORMATS = ['yaml', 'json', 'csv', 'xliff'] as const;
type ExportOptions = CatalogOptions & { format?: (typeof FORMATS)[number]; language?: string; revision?: number };

export function catalogExport(): Command {
  return defineManagementCommand({
    name: 'export',
    description: 'export the catalog for `catalog apply`, or its texts for translators',
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
    .option('--revision <n>', 'export this revision', readWholeNumber)
    .action(runExport);
}

async function runExport(options: ExportOptions): Promise<void> {
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
    return { revision: found.revision, content: await writeInFormat(found, format, app) };
  });
  // If JSON was not requested as a format, it is the result itself.
  if (options.json && options.format === undefined) printResult(options, JSON.parse(content), () => content);
  else if (options.json) printResult(options, { revision, format, content }, () => content);
  else process.stdout.write(content);
}

async function writeInFormat(
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

type TypesOptions = CatalogOptions & { out?: string; schemas?: boolean };

export function catalogTypes(): Command {
  return defineManagementCommand({
    name: 'types',
    description: 'print a TypeScript module with groups, keys and values, for the client and React packages',
    examples: [
      ['catalog types --app 123456789_4f2c --out src/catalog.ts', 'let the compiler check keys and values'],
      [
        'catalog types --app 123456789_4f2c --schemas --out src/catalog.ts',
        'with a Standard Schema validator for each key',
      ],
      ['catalog types --app 123456789_4f2c --json', '{"revision","content"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .option('--out <file>', 'write to this file instead of stdout')
    .option('--schemas', 'add a validator for each key, for forms and routes that accept a Standard Schema')
    .action(runTypes);
}

async function runTypes(options: TypesOptions): Promise<void> {
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
    throw new UsageError(`--out ${options.out}: ${problem}.`, { remedy: 'Choose a writable file.' });
  });
  printResult(options, { revision, file: options.out }, () => `Wrote revision ${revision} to ${options.out}.`);
}

export function catalogSchema(): Command {
  return defineCommand({
    name: 'schema',
    description: 'print the JSON Schema of catalog files, for validation and completion in editors',
    settings: [],
    examples: [
      [
        'catalog schema > catalog.schema.json',
        'save it next to a catalog file that starts with # yaml-language-server: $schema=catalog.schema.json',
      ],
    ],
  }).action(runSchema);
}

async function runSchema(options: CommandOptions): Promise<void> {
  const { catalogJsonSchema } = await import('../domain/catalog/file-schema.ts');
  const schema = catalogJsonSchema();
  printResult(options, schema, () => JSON.stringify(schema, null, 2));
}
