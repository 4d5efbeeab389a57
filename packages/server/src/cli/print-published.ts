import type { PublishOutcome } from '../domain/catalog/publish.ts';
import { finish } from '../domain/slices.ts';
import type { CatalogOptions } from './catalog-options.ts';
import { Failure } from './failure.ts';
import { bold, printResult } from './print.ts';
import { showChanges, showPlan } from './show-changes.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';
import { unknownApplication } from './with-storage.ts';

/** How publishing ended, in the same words for every command that publishes. `more` goes into the JSON beside it. */
export async function printPublished(
  options: CatalogOptions,
  published: PublishOutcome,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { readableDifference } = await import('../domain/catalog/publish.ts');
  const { findMissingTexts } = await import('../domain/catalog/plan.ts');
  switch (published.outcome) {
    case 'application-gone':
      throw unknownApplication(options.app);
    case 'conflict':
      throw new Failure(`nothing was changed: somebody else published revision ${published.revision} meanwhile.`, {
        wayOut: 'Look at it with `innkeeper catalog revisions`, then try again.',
      });
    case 'breaking': {
      const { plan } = published;
      const wayOut = 'Add --allow-breaking to go on all the same; saved selections stay as they are.';
      throw new Failure(
        `nothing was changed: ${counted(plan.breaking.length, 'change')} would break saved selections.`,
        {
          problems: plan.breaking.map(({ path, text, selections }) =>
            visible(`${path}: ${text} (${counted(selections, 'selection')})`),
          ),
          wayOut,
          guide: `${showChanges(finish(readableDifference(plan.changes)))}\n\n${wayOut}`,
        },
      );
    }
    default: {
      const { revision, plan } = published;
      const changes = finish(readableDifference(plan.changes));
      const isNew = published.outcome === 'published';
      const { breaking, notes } = plan;
      const missing = finish(findMissingTexts(plan.next));
      printResult(options, { revision, published: isNew, changes, breaking, notes, missing, ...more }, () =>
        isNew
          ? `${showPlan({ changes, breaking, missing, notes })}\n\nPublished ${bold(`revision ${revision}`)}. Running servers follow within a second.`
          : `Nothing to do: the catalog is that already (revision ${revision}).`,
      );
    }
  }
}
