import type { Command } from 'commander';
import { catalogApply, catalogMigrate, catalogPlan } from './catalog-changes.ts';
import { catalogExport, catalogSchema, catalogShow, catalogTypes } from './catalog-export.ts';
import { catalogDiff, catalogRestore, catalogRevisions } from './catalog-revisions.ts';
import { catalogImportTranslations, catalogReview } from './catalog-translations.ts';
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
    commands: [
      catalogPlan(),
      catalogApply(),
      catalogExport(),
      catalogImportTranslations(),
      catalogReview(),
      catalogMigrate(),
      catalogRevisions(),
      catalogShow(),
      catalogDiff(),
      catalogRestore(),
      catalogSchema(),
      catalogTypes(),
    ],
  });
}
