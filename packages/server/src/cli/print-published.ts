import type { CatalogOptions } from './catalog-options.ts';
import { Failure } from './failure.ts';
import type { Published } from './management.ts';
import { bold, printResult } from './print.ts';
import { showChanges, showPlan } from './show-changes.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';

/** How publishing ended, worded the same in every command that publishes. `more` is added to the JSON. */
export function printPublished(
  options: CatalogOptions,
  published: Published,
  more: Record<string, unknown> = {},
): void {
  switch (published.outcome) {
    case 'conflict':
      throw new Failure(`nothing was changed: someone else has published revision ${published.revision}.`, {
        wayOut: 'Review it with `innkeeper catalog revisions`, then try again.',
      });
    case 'breaking': {
      const { changes, breaking } = published;
      const wayOut = 'Add --allow-breaking to publish anyway; saved selections keep their current value.';
      throw new Failure(`nothing was changed: ${counted(breaking.length, 'change')} would break saved selections.`, {
        problems: breaking.map(({ path, text, selections }) =>
          visible(`${path}: ${text} (${counted(selections, 'selection')})`),
        ),
        wayOut,
        guide: `${showChanges(changes)}\n\n${wayOut}`,
      });
    }
    default: {
      const { revision, changes, breaking, notes, missing } = published;
      const isNew = published.outcome === 'published';
      printResult(options, { revision, published: isNew, changes, breaking, notes, missing, ...more }, () =>
        isNew
          ? `${showPlan({ changes, breaking, missing, notes })}\n\nPublished ${bold(`revision ${revision}`)}. Changes apply within a second.`
          : `No changes: the catalog is already up to date (revision ${revision}).`,
      );
    }
  }
}
