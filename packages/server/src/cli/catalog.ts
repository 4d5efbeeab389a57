import type { Command } from 'commander';
import { catalogApply } from './catalog-apply.ts';
import { catalogDiff } from './catalog-diff.ts';
import { catalogExport } from './catalog-export.ts';
import { catalogImportTranslations } from './catalog-import-translations.ts';
import { catalogMigrate } from './catalog-migrate.ts';
import { catalogPlan } from './catalog-plan.ts';
import { catalogRestore } from './catalog-restore.ts';
import { catalogReview } from './catalog-review.ts';
import { catalogRevisions } from './catalog-revisions.ts';
import { catalogSchema } from './catalog-schema.ts';
import { catalogShow } from './catalog-show.ts';
import { catalogTypes } from './catalog-types.ts';
import { defineGroup } from './command.ts';

export function catalog(): Command {
  return defineGroup({
    name: 'catalog',
    description: 'manage option catalogs as files: groups, keys, values, translations',
    examples: [
      ['catalog export --app 123456789_4f2c > catalog.yaml', 'export the catalog to edit it'],
      ['catalog plan catalog.yaml --app 123456789_4f2c', 'show what the file would change'],
      ['catalog apply catalog.yaml --app 123456789_4f2c', 'publish it as one revision'],
      [
        'catalog export --app 123456789_4f2c --format xliff --language Deutsch > de.xlf',
        'export texts for a translator',
      ],
      ['catalog import-translations de.xlf --app 123456789_4f2c', 'import the translations'],
      ['catalog review de.xlf --app 123456789_4f2c', 'mark the translations as reviewed'],
    ],
  })
    .addCommand(catalogPlan())
    .addCommand(catalogApply())
    .addCommand(catalogExport())
    .addCommand(catalogImportTranslations())
    .addCommand(catalogReview())
    .addCommand(catalogMigrate())
    .addCommand(catalogRevisions())
    .addCommand(catalogShow())
    .addCommand(catalogDiff())
    .addCommand(catalogRestore())
    .addCommand(catalogSchema())
    .addCommand(catalogTypes());
}
