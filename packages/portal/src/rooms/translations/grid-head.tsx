// biome-ignore-all lint/a11y/useSemanticElements: the elements of a table cannot be virtual both ways
// biome-ignore-all lint/a11y/useFocusableInteractive: of a grid the cells take the focus, one at a time
import { ActionIcon, Badge, Progress as Bar, Group, Menu, Text } from '@mantine/core';
import { IconDotsVertical, IconEyeOff, IconFilter } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './grid.module.css';
import type { ShownColumn } from './grid-row.tsx';
import { type Progress, percentOf } from './progress.ts';
import type { Language } from './text-row.ts';

type Props = {
  columns: readonly ShownColumn[];
  width: number;
  nameWidth: number;
  progress: ReadonlyMap<string, Progress>;
  onMissing: (tag: string) => void;
  onHide: (tag: string) => void;
};

export const GridHead = memo(function GridHead({ columns, width, nameWidth, progress, onMissing, onHide }: Props) {
  const { t } = useTranslation('translations');
  return (
    <div role="row" aria-rowindex={1} className={classes.head} style={{ width }}>
      <div
        role="columnheader"
        aria-colindex={1}
        className={`${classes.headCell} ${classes.corner}`}
        style={{ width: nameWidth, height: 55, position: 'sticky' }}
      >
        <Text size="sm" fw={600}>
          {t('grid.name')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('grid.nameHint')}
        </Text>
      </div>
      {columns.map(({ index, left, width: own, language }) => {
        const { total, missing } = progress.get(language.tag) ?? { total: 0, missing: 0 };
        return (
          <HeadCell
            key={language.tag}
            index={index}
            left={left}
            width={own}
            language={language}
            total={total}
            missing={missing}
            onMissing={onMissing}
            onHide={onHide}
          />
        );
      })}
    </div>
  );
});

type CellProps = Progress &
  Pick<Props, 'onMissing' | 'onHide'> & { index: number; left: number; width: number; language: Language };

/** Drawn again only for a text in its own language. */
const HeadCell = memo(function HeadCell(props: CellProps) {
  const { index, left, width, language, total, missing, onMissing, onHide } = props;
  const { t } = useTranslation('translations');
  const { name, tag, isDefault } = language;
  return (
    <div
      role="columnheader"
      aria-colindex={index + 2}
      className={classes.headCell}
      style={{ insetInlineStart: left, width }}
    >
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
            <Text size="xs" c="dimmed" component="span">
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
            {!isDefault && (
              <Menu.Item leftSection={<IconFilter size={16} aria-hidden />} onClick={() => onMissing(tag)}>
                {t('grid.onlyMissing', { count: missing })}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconEyeOff size={16} aria-hidden />} onClick={() => onHide(tag)}>
              {t('grid.hide')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {!isDefault && (
        <Group gap={6} wrap="nowrap" mt={2}>
          <Bar
            value={percentOf({ total, missing })}
            size="xs"
            flex={1}
            color={missing === 0 ? 'inn' : 'yellow'}
            aria-label={t('grid.progress', { name })}
          />
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {missing === 0 ? t('grid.complete') : t('grid.missing', { count: missing })}
          </Text>
        </Group>
      )}
    </div>
  );
});
