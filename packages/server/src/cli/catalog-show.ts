import type { Command } from 'commander';
import type { ReadableChange } from '../domain/catalog/publish.ts';
import { unknownRevision } from './catalog-export.ts';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { bold, printResult } from './print.ts';
import { showChanges } from './show-changes.ts';
import { visible } from './table.ts';
import { showTime } from './time.ts';
import { findApplication, withStorage } from './with-storage.ts';

export function catalogShow(): Command {
  return defineCommand({
    name: 'show',
    description: 'one revision: who published it when, and what it changed',
    settings: STORAGE_SETTINGS,
    examples: [
      ['catalog show 7 --app 123456789_4f2c', 'what changed; `catalog export --revision 7` has all of it'],
      ['catalog show 7 --app 123456789_4f2c --json', '{"revision","createdAt","author","changes"}'],
    ],
  })
    .argument('<REVISION>', 'its number', readRevision)
    .requiredOption(...APP_OPTION)
    .action(run);
}

async function run(wanted: number, options: CatalogOptions): Promise<void> {
  const record = await withStorage(options, async ({ storage }) => {
    const { appId } = await findApplication(storage, options.app);
    const { revision: newest } = await storage.catalogs.load(appId);
    if (wanted < 1 || wanted > newest) throw unknownRevision(wanted);
    // Numbered without gaps, newest first.
    const { items } = await storage.catalogs.revisions(appId, { offset: newest - wanted, limit: 2 });
    return items.find(({ revision }) => revision === wanted);
  });
  if (!record) throw unknownRevision(wanted);
  const { revision, author, difference } = record;
  const createdAt = showTime(record.createdAt);
  const changes = JSON.parse(difference) as ReadableChange[];
  printResult(
    options,
    { revision, createdAt, author, changes },
    () => `${bold(`Revision ${revision}`)}, ${createdAt} UTC, by ${visible(author)}\n\n${showChanges(changes)}`,
  );
}
