import { type Command, Option } from 'commander';
import type { Catalog, Language } from '../domain/catalog/catalog.ts';
import { finish } from '../domain/slices.ts';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure, Misuse } from './failure.ts';
import { printResult } from './print.ts';
import { findApplication, withStorage } from './with-storage.ts';

const FORMATS = ['yaml', 'json', 'csv', 'xliff'] as const;
type ExportOptions = CatalogOptions & { format?: (typeof FORMATS)[number]; language?: string; revision?: number };

export function catalogExport(): Command {
  return defineCommand({
    name: 'export',
    description: 'the catalog as a file for `catalog apply`, or its texts as a file for translators',
    settings: STORAGE_SETTINGS,
    examples: [
      ['catalog export --app 123456789_4f2c > catalog.yaml', 'all but what is archived; applying it changes nothing'],
      ['catalog export --app 123456789_4f2c --format csv > texts.csv', 'all texts, for a spreadsheet'],
      ['catalog export --app 123456789_4f2c --format xliff --language de > de.xlf', 'for a translation tool'],
      ['catalog export --app 123456789_4f2c --revision 7 > catalog.yaml', 'as it was'],
      ['catalog export --app 123456789_4f2c --format csv --json', '{"revision","format","content"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .addOption(new Option('--format <format>', 'yaml by default').choices(FORMATS))
    .option('--language <language>', 'with csv and xliff: this one alone, by name or tag')
    .option('--revision <n>', 'as it was at this revision', readRevision)
    .action(run);
}

async function run(options: ExportOptions): Promise<void> {
  const format = options.format ?? (options.json ? 'json' : 'yaml');
  const isTexts = format === 'csv' || format === 'xliff';
  if (options.language !== undefined && !isTexts) {
    throw new Misuse(`--language goes with --format csv or xliff: a ${format} file has all of them.`);
  }
  const catalog = await load(options);
  const content = isTexts ? await writeTexts(catalog, format, options) : await writeFile(catalog, format, options);
  // JSON that was not asked for as a format is the answer itself.
  if (options.json && options.format === undefined) printResult(options, JSON.parse(content), () => content);
  else if (options.json) printResult(options, { revision: catalog.revision, format, content }, () => content);
  else process.stdout.write(content);
}

async function load(options: ExportOptions): Promise<Catalog> {
  const { readCatalog } = await import('../domain/catalog/catalog.ts');
  return withStorage(options, async ({ storage }) => {
    const { appId } = await findApplication(storage, options.app);
    const { revision } = options;
    const stored =
      revision === undefined ? await storage.catalogs.load(appId) : await storage.catalogs.loadAt(appId, revision);
    if (!stored) throw unknownRevision(revision as number);
    return finish(readCatalog(stored));
  });
}

export function unknownRevision(revision: number): Failure {
  return new Failure(`there is no revision ${revision} of this catalog.`, {
    wayOut: 'See them all with: innkeeper catalog revisions --app ID',
  });
}

async function writeFile(catalog: Catalog, format: 'yaml' | 'json', { app }: ExportOptions): Promise<string> {
  const { toFile } = await import('../domain/catalog/to-file.ts');
  const { writeJson, writeYaml } = await import('../domain/catalog/write-file.ts');
  if (format === 'json') return writeJson(finish(toFile(catalog)));
  return writeYaml(finish(toFile(catalog)), [
    `The catalog of ${app}, revision ${catalog.revision}. Change it, then: innkeeper catalog plan FILE --app ${app}`,
    'For completion in an editor: innkeeper catalog schema > catalog.schema.json',
    'yaml-language-server: $schema=catalog.schema.json',
  ]);
}

async function writeTexts(
  catalog: Catalog,
  format: 'csv' | 'xliff',
  { app, language }: ExportOptions,
): Promise<string> {
  const { stampOf } = await import('../domain/catalog/texts-file.ts');
  const stamp = stampOf(app, catalog.revision);
  const chosen = await chooseLanguages(catalog, language);
  if (format === 'csv') {
    const { writeTextsCsv } = await import('../domain/catalog/texts-csv.ts');
    return finish(writeTextsCsv(catalog, chosen, stamp));
  }
  const [target, ...more] = language === undefined ? chosen.filter(({ isDefault }) => !isDefault) : chosen;
  if (!target || more.length > 0) {
    throw new Misuse('an XLIFF file is for one language.', {
      wayOut: `Add --language with one of: ${catalog.languages.map(({ name }) => name).join(', ')}`,
    });
  }
  const { writeTextsXliff } = await import('../domain/catalog/texts-xliff.ts');
  const content = finish(writeTextsXliff(catalog, target, stamp));
  if (content === undefined) throw new Failure('there is nothing to translate: the catalog is empty.');
  return content;
}

async function chooseLanguages(catalog: Catalog, word: string | undefined): Promise<Language[]> {
  if (word === undefined) return catalog.languages;
  const { findLanguage } = await import('../domain/catalog/merge-texts.ts');
  const language = findLanguage(catalog.languages, word);
  if (language) return [language];
  throw new Misuse(`"${word}" is not a language of this catalog.`, {
    wayOut: `There are: ${catalog.languages.map(({ name, tag }) => `${name} (${tag})`).join(', ')}`,
  });
}
