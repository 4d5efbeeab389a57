import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { COMMAND } from '../../shell/palette/open.ts';
import { fieldProblem } from '../../shell/problem-text.ts';
import type { Sheet } from './sheet.ts';
import { defaultTag, hasIssue, type Language, sourceOf, stateOf } from './text-row.ts';
import type { ActiveCell } from './texts-grid.tsx';
import type { Review } from './use-review.ts';
import classes from './workbench.module.css';

/** Details of the active cell: where it is, its source text, and any problem. */
export function CellDetails(props: {
  sheet: Sheet;
  active: ActiveCell | undefined;
  languages: readonly Language[];
  isReadOnly: boolean;
  onConflicts: () => void;
  onReview: Review;
}) {
  const { sheet, active, languages, isReadOnly, onConflicts, onReview } = props;
  const { t } = useTranslation('translations');
  const row = active && sheet.row(active.id);
  const language = languages.find(({ tag }) => tag === active?.tag);
  if (!row || !language) return <div />;
  const mark = row.marks?.[language.tag];
  const source = sourceOf(row, languages);
  const state = stateOf(row, language, defaultTag(languages));
  const isReviewable =
    !language.isDefault && !language.isLocked && row.texts[language.tag] !== undefined && mark === undefined;
  const { isOne } = active;
  const left = isOne ? 0 : countUnreviewed(sheet, active, languages);
  return (
    <Group gap="md" flex="1 1 240px" miw={200}>
      <div>
        <Text size="xs" c="dimmed" lineClamp={1}>
          <bdi>{row.parent === '' ? row.name : `${row.parent} › ${row.name}`}</bdi> · <bdi>{language.name}</bdi>
        </Text>
        <Text size="sm" className={classes.quote} dir="auto">
          {source}
        </Text>
      </div>
      {language.isLocked && <Text size="sm">{t('state.locked')}</Text>}
      {state && <Text size="sm">{t(`state.${state}`)}</Text>}
      {(isOne ? isReviewable : left > 0) && !isReadOnly && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onReview(active.selected(), { mayWithdraw: isOne })}
          title={`${COMMAND} + Enter`}
        >
          {isOne
            ? state === 'reviewed'
              ? t('review.withdraw')
              : t('review.one')
            : t('review.selected', { count: left })}
        </Button>
      )}
      {isReviewable && isOne && state === 'outdated' && !isReadOnly && (
        <Text size="xs" c="dimmed" visibleFrom="md">
          {t('review.hint')}
        </Text>
      )}
      {mark?.phase === 'refused' && (
        <Text size="sm" c="red">
          {mark.message === 'tooLong' ? t('tooLong') : t('refusedBecause', { reason: fieldProblem(mark.message) })}
        </Text>
      )}
      {mark?.phase === 'conflict' && (
        <Button size="compact-sm" color="red" variant="light" onClick={onConflicts}>
          {t('conflict.compare')}
        </Button>
      )}
    </Group>
  );
}

function countUnreviewed(sheet: Sheet, active: ActiveCell, languages: readonly Language[]): number {
  const from = defaultTag(languages);
  const byTag = new Map(languages.map((language) => [language.tag, language]));
  return active.selected().filter(({ id, tag }) => {
    const [row, language] = [sheet.row(id), byTag.get(tag)];
    return row && language && !language.isLocked && hasIssue(row, language, 'unreviewed', from);
  }).length;
}
