import type { Command } from 'commander';
import { unknownRevision } from './catalog-export.ts';
import { APP_OPTION, type CatalogOptions, cliAuthor, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { printPublished } from './print-published.ts';
import { findApplication, withStorage } from './with-storage.ts';

export function catalogRestore(): Command {
  return defineCommand({
    name: 'restore',
    description: 'publish what a catalog was at a revision as a new revision',
    settings: STORAGE_SETTINGS,
    examples: [
      ['catalog restore 7 --app 123456789_4f2c', 'back to 7; nothing between is lost'],
      ['catalog diff 7 --app 123456789_4f2c', 'see first what has changed since'],
    ],
  })
    .argument('<REVISION>', 'its number', readRevision)
    .requiredOption(...APP_OPTION)
    .option('--allow-breaking', 'also changes after which saved selections would not be accepted any more')
    .action(run);
}

async function run(revision: number, options: CatalogOptions & { allowBreaking?: true }): Promise<void> {
  const { restoreCatalog } = await import('../domain/catalog/publish.ts');
  const published = await withStorage(options, async ({ storage, now }) => {
    const { appId } = await findApplication(storage, options.app);
    return restoreCatalog(storage, appId, revision, {
      author: cliAuthor(),
      now: now(),
      allowBreaking: options.allowBreaking === true,
    });
  });
  if (published.outcome === 'unknown-revision') throw unknownRevision(revision);
  await printPublished(options, published);
}
