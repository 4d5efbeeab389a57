// biome-ignore-all lint/a11y/useSemanticElements: table elements cannot be virtualized both ways
// biome-ignore-all lint/a11y/useFocusableInteractive: in a grid the cells take the focus, one at a time
import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { IconCheck, IconDotsVertical, IconEyeOff, IconFilter } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Only } from './filter-rows.ts';
import classes from './grid.module.css';
import { LanguageProgress } from './language-progress.tsx';
import { NO_PROGRESS, type Progress } from './progress.ts';
import { TEXT_ISSUES } from './search.ts';
import { inColumn, type ShownColumn } from './use-grid-layout.ts';

type Props = {
  columns: readonly ShownColumn[];
  progress: ReadonlyMap<string, Progress>;
  onOnly: (only: Only) => void;
  /** Marks every text of the language in the visible rows; undefined: not allowed. */
  onReviewAll: ((tag: string) => void) | undefined;
  onHide: (tag: string) => void;
};

export const GridHead = memo(function GridHead({ columns, progress, ...acts }: Props) {
  const { t } = useTranslation('translations');
  return (
    <div role="row" aria-rowindex={1} className={classes.head}>
      <div role="columnheader" aria-colindex={1} className={`${classes.headCell} ${classes.corner}`}>
        <Text size="sm" fw={600}>
          {t('grid.name')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('grid.nameHint')}
        </Text>
      </div>
      {columns.map((column) => {
        const { tag } = column.language;
        return <HeadCell key={tag} column={column} {...(progress.get(tag) ?? NO_PROGRESS)} {...acts} />;
      })}
    </div>
  );
});

type CellProps = Progress & Pick<Props, 'onOnly' | 'onReviewAll' | 'onHide'> & { column: ShownColumn };

/** Re-renders only when a text in its own language changes. */
const HeadCell = memo(function HeadCell(props: CellProps) {
  const { column, onOnly, onReviewAll, onHide, ...progress } = props;
  const { t } = useTranslation('translations');
  const { name, tag, isDefault, isLocked } = column.language;
  return (
    <div role="columnheader" className={classes.headCell} {...inColumn(column)}>
      <Group justify="space-between" wrap="nowrap" gap={4}>
        <Group gap={6} wrap="nowrap" miw={0}>
          <Text size="sm" fw={600} truncate title={name}>
            <bdi>{name}</bdi>
          </Text>
          {isDefault ? (
            <Badge size="xs" variant="light">
              {t('grid.default')}
            </Badge>
          ) : (
            <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: 'nowrap' }}>
              {tag}
            </Text>
          )}
        </Group>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('grid.columnMenu', { name })}>
              <IconDotsVertical size={14} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {!isDefault &&
              TEXT_ISSUES.map((issue) => (
                <Menu.Item
                  key={issue}
                  leftSection={<IconFilter size={16} aria-hidden />}
                  onClick={() => onOnly({ issue, tag })}
                >
                  {t(`grid.only.${issue}`, { count: progress[issue] })}
                </Menu.Item>
              ))}
            {!isDefault && !isLocked && onReviewAll && (
              <Menu.Item leftSection={<IconCheck size={16} aria-hidden />} onClick={() => onReviewAll(tag)}>
                {t('review.all')}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconEyeOff size={16} aria-hidden />} onClick={() => onHide(tag)}>
              {t('grid.hide')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <LanguageProgress name={name} isDefault={isDefault} {...progress} />
    </div>
  );
});
