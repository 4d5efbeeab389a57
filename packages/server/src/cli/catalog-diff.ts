import type { Command } from 'commander';
import { finish } from '../domain/slices.ts';
import { unknownRevision } from './catalog-export.ts';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { printResult } from './print.ts';
import { showChanges, showSummary } from './show-changes.ts';
import { findApplication, withStorage } from './with-storage.ts';

export function catalogDiff(): Command {
  return defineCommand({
    name: 'diff',
    description: 'what is different between two revisions',
    settings: STORAGE_SETTINGS,
    examples: [
      ['catalog diff 7 9 --app 123456789_4f2c', 'from 7 to 9'],
      ['catalog diff 7 --app 123456789_4f2c', 'from 7 to what there is now'],
    ],
  })
    .argument('<FROM>', 'a revision; 0 is the empty catalog', readRevision)
    .argument('[TO]', 'another; the newest by default', readRevision)
    .requiredOption(...APP_OPTION)
    .action(run);
}

async function run(from: number, to: number | undefined, options: CatalogOptions): Promise<void> {
  const { readCatalog } = await import('../domain/catalog/catalog.ts');
  const { definitionOf } = await import('../domain/catalog/definition.ts');
  const { planCatalog } = await import('../domain/catalog/plan.ts');
  const { readableDifference } = await import('../domain/catalog/publish.ts');
  const { before, after } = await withStorage(options, async ({ storage }) => {
    const { appId } = await findApplication(storage, options.app);
    const loadAt = async (revision: number) => {
      const stored =
        revision === 0 ? { revision, languages: '[]', items: [] } : await storage.catalogs.loadAt(appId, revision);
      if (!stored) throw unknownRevision(revision);
      return finish(readCatalog(stored));
    };
    const after = to === undefined ? finish(readCatalog(await storage.catalogs.load(appId))) : await loadAt(to);
    return { before: await loadAt(from), after };
  });
  const changes = finish(readableDifference(finish(planCatalog(before, finish(definitionOf(after)))).changes));
  printResult(options, { from, to: after.revision, changes }, () =>
    changes.length === 0
      ? `Revisions ${from} and ${after.revision} are the same.`
      : `${showChanges(changes)}\n\n${showSummary(changes)}`,
  );
}
