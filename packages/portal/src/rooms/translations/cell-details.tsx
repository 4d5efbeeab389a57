import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Sheet } from './sheet.ts';
import { type Language, sourceOf } from './text-row.ts';
import classes from './workbench.module.css';

/** Of the active cell: where it is, what it is translated from, and what is the matter with it. */
export function CellDetails(props: {
  sheet: Sheet;
  active: { path: string; tag: string } | undefined;
  languages: readonly Language[];
  onConflicts: () => void;
}) {
  const { sheet, active, languages, onConflicts } = props;
  const { t } = useTranslation('translations');
  const row = active && sheet.row(active.path);
  const language = languages.find(({ tag }) => tag === active?.tag);
  if (!row || !language) return <div />;
  const mark = row.marks?.[language.tag];
  const source = sourceOf(row, languages);
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
      {mark?.phase === 'refused' && (
        <Text size="sm" c="red">
          {mark.message === 'tooLong' ? t('tooLong') : t('refusedBecause', { reason: mark.message })}
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
