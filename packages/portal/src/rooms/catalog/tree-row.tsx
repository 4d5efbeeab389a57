import { useDraggable, useDroppable } from '@dnd-kit/core';
import { Badge, Text } from '@mantine/core';
import { IconArchive, IconChevronRight, IconGripVertical } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './catalog-tree.module.css';
import { kindOf } from './kinds.ts';
import type { Row } from './rows.ts';

type Props = {
  id: string;
  row: Row;
  top: number;
  height: number;
  isActive: boolean;
  isSelected: boolean;
  mayMove: boolean;
  drop: 'before' | 'after' | undefined;
  onSelect(): void;
  onToggle(expanded: boolean): void;
};

export function TreeRow({ id, row, top, height, isActive, isSelected, mayMove, drop, onSelect, onToggle }: Props) {
  const { t } = useTranslation('catalog');
  const { setNodeRef: setDrop } = useDroppable({ id: row.uid });
  const { setNodeRef: setDrag, setActivatorNodeRef, listeners } = useDraggable({ id: row.uid, disabled: !mayMove });
  const setRow = (node: HTMLDivElement | null) => {
    setDrop(node);
    setDrag(node);
  };
  const expanded = row.kind === 'group' ? row.expanded : undefined;
  return (
    // The tree itself has the focus and handles keys: WAI-ARIA, aria-activedescendant.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      ref={setRow}
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-selected={isSelected}
      aria-expanded={expanded}
      aria-setsize={row.siblings}
      aria-posinset={row.index + 1}
      className={classes.row}
      data-active={isActive || undefined}
      data-selected={isSelected || undefined}
      data-archived={row.archived || undefined}
      data-kind={row.kind}
      data-drop={drop}
      // Not with a transform: dnd-kit measures rows as if they had none.
      style={{ top, height }}
      onClick={onSelect}
    >
      {row.kind === 'group' ? (
        // For the mouse; the arrow keys do the same.
        <span
          className={classes.chevron}
          data-expanded={expanded || undefined}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onToggle(!expanded);
          }}
        >
          <IconChevronRight size={16} />
        </span>
      ) : (
        <span className={classes.indent} aria-hidden />
      )}
      <Text size="sm" fw={row.kind === 'group' ? 600 : 400} truncate className={classes.label}>
        {row.label}
      </Text>
      {row.archived && <IconArchive size={14} aria-label={t('tree.archived')} className={classes.faint} />}
      {row.kind === 'group' ? (
        <Badge size="xs" variant="default" aria-label={t('tree.keys', { count: row.keys })}>
          {row.keys}
        </Badge>
      ) : (
        <Text size="xs" c="dimmed" className={classes.type}>
          {t(
            `type.${kindOf({ ...row.key, multiple: row.key.multiple === true, listed: row.key.values !== undefined })}`,
          )}
        </Text>
      )}
      {mayMove && (
        <span ref={setActivatorNodeRef} {...listeners} className={classes.handle} aria-hidden title={t('tree.drag')}>
          <IconGripVertical size={16} />
        </span>
      )}
    </div>
  );
}
