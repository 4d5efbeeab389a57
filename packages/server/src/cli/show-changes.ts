import { styleText } from 'node:util';
import type { MissingTexts, PlanNote } from '../domain/catalog/plan.ts';
import type { CountedBreaking, CountedPlan, ReadableChange } from '../domain/catalog/publish.ts';
import type { CatalogOptions } from './catalog-options.ts';
import { Failure } from './failure.ts';
import type { Published } from './management.ts';
import { bold, counted, dim, layOut, printResult, visible } from './output.ts';

const MARKS = {
  added: styleText('green', '+'),
  restored: styleText('green', '+'),
  changed: styleText('yellow', '~'),
  renamed: styleText('cyan', '>'),
  archived: styleText('red', '-'),
  removed: styleText('red', '-'),
} as const;

/** One mark and one name per line, with the details below. */
export function showChanges(changes: readonly ReadableChange[]): string {
  return changes
    .flatMap(({ kind, subject, path, details, selections }) => [
      `  ${MARKS[kind]} ${subject} ${bold(visible(path))}${kind === 'restored' ? ' (restored)' : ''}${
        selections === undefined ? '' : `: ${affected(selections)}`
      }`,
      ...details.map((text) => `      ${visible(text)}`),
    ])
    .join('\n');
}

/** A plan for people: the changes, what they break, what is not translated, and a summary line. */
export function showPlan({
  changes,
  breaking,
  missing,
  notes,
}: Pick<CountedPlan, 'breaking' | 'notes'> & { changes: ReadableChange[]; missing: MissingTexts[] }): string {
  const parts = [showChanges(changes), showBreaking(breaking), showNotes(notes), showMissing(missing)].filter(
    (part) => part !== '',
  );
  return [...parts, showSummary(changes, breaking)].join('\n\n');
}

function showBreaking(breaking: readonly CountedBreaking[]): string {
  if (breaking.length === 0) return '';
  const rows = breaking.map(({ path, text, selections }) => [
    styleText('red', '!'),
    `${visible(path)}:`,
    `${visible(text)} (${affected(selections)})`,
  ]);
  return `${bold('Breaking:')}\n${layOut(rows, { indent: 2, gap: 1 })}`;
}

function showNotes(notes: readonly PlanNote[]): string {
  if (notes.length === 0) return '';
  const rows = notes.map(({ path, text }) => [styleText('yellow', '?'), visible(path), visible(text)]);
  return `${bold('Please check:')}\n${layOut(rows, { indent: 2, gap: 1 })}`;
}

function affected(selections: number): string {
  return selections === 0 ? 'affects no saved selections' : `affects ${counted(selections, 'saved selection')}`;
}

const SHOWN = 3;

export function showMissing(missing: readonly MissingTexts[]): string {
  const rows = missing
    .filter(({ count }) => count > 0)
    .map(({ language, total, count, missing: paths }) => {
      const more = count - SHOWN;
      const first = paths.slice(0, SHOWN).map(visible).join(', ');
      return [visible(language), `${count} of ${total}`, dim(first + (more > 0 ? ` and ${more} more` : ''))];
    });
  return rows.length === 0 ? '' : `${bold('Not translated:')}\n${layOut(rows, { indent: 2 })}`;
}

const KINDS = ['added', 'restored', 'changed', 'renamed', 'archived', 'removed'] as const;

export function showSummary(changes: readonly ReadableChange[], breaking?: readonly CountedBreaking[]): string {
  const counts = KINDS.map((kind) => [kind, changes.filter((change) => change.kind === kind).length] as const);
  const shown = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`);
  if (!breaking) return `${bold(shown.join(', '))}.`;
  if (breaking.length === 0) return `${bold(shown.join(', '))}, none breaking.`;
  return `${bold(shown.join(', '))}, ${styleText('red', `${breaking.length.toLocaleString('en')} breaking`)}.`;
}

/** How publishing ended, worded the same in every command that publishes. `more` is added to the JSON. */
export function printPublished(
  options: CatalogOptions,
  published: Published,
  more: Record<string, unknown> = {},
): void {
  switch (published.outcome) {
    case 'conflict':
      throw new Failure(`nothing was changed: someone else has published revision ${published.revision}.`, {
        remedy: 'Review it with `innkeeper catalog revisions`, then try again.',
      });
    case 'breaking': {
      const { changes, breaking } = published;
      const remedy = 'Add --allow-breaking to publish anyway; saved selections keep their current value.';
      throw new Failure(`nothing was changed: ${counted(breaking.length, 'change')} would break saved selections.`, {
        problems: breaking.map(({ path, text, selections }) =>
          visible(`${path}: ${text} (${counted(selections, 'selection')})`),
        ),
        remedy,
        guide: `${showChanges(changes)}\n\n${remedy}`,
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
