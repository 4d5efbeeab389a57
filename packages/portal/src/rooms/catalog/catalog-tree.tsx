import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  type DragOverEvent,
  DragOverlay,
  PointerSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { Box, Paper, Text, VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './catalog-tree.module.css';
import type { Row } from './rows.ts';
import { TreeRow } from './tree-row.tsx';

const ROW_HEIGHT = 38;

type Props = {
  rows: readonly Row[];
  selected: string | undefined;
  mayMove: boolean;
  onSelect(uid: string): void;
  onToggle(groupUid: string, expanded: boolean): void;
  /** To a position among its siblings, counted from 0. */
  onMove(row: Row, position: number): void;
};

/**
 * The groups and keys, as a WAI-ARIA tree with one focus and an active row: of thousands of rows, only the visible ones
 * are rendered.
 */
export function CatalogTree({ rows, selected, mayMove, onSelect, onToggle, onMove }: Props) {
  const { t } = useTranslation('catalog');
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | undefined>(selected);
  const [said, say] = useState('');
  const [dragged, setDragged] = useState<Row>();
  const [over, setOver] = useState<{ uid: string; after: boolean }>();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.uid ?? index,
    overscan: 10,
  });

  const indexOf = (uid: string | undefined) => rows.findIndex((row) => row.uid === uid);
  const activeIndex = Math.max(0, indexOf(active));

  // Scrolls to the target of a link, or a new item.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is selected
  useEffect(() => {
    if (selected === undefined) return;
    setActive(selected);
    const index = indexOf(selected);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
  }, [selected]);

  // A second key press can come before the rows are rendered again.
  const ahead = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moved rows are rendered now
  useEffect(() => ahead.current.clear(), [rows]);
  const placeOf = (row: Row) => ahead.current.get(row.uid) ?? row.index;

  const go = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.uid);
    virtual.scrollToIndex(rows.indexOf(row), { align: 'auto' });
  };

  const move = (row: Row, position: number) => {
    if (!mayMove || row.archived || position < 0 || position >= row.siblings || position === placeOf(row)) return;
    ahead.current.set(row.uid, position);
    onMove(row, position);
    say(t('tree.moved', { what: row.label, position: position + 1, total: row.siblings }));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[activeIndex];
    if (!row || event.ctrlKey || event.metaKey) return;
    const act = actOn(event, row);
    if (!act) return;
    event.preventDefault();
    act();
  };

  const actOn = ({ key, altKey }: KeyboardEvent, row: Row): (() => void) | undefined => {
    if (altKey) {
      if (key === 'ArrowUp') return () => move(row, placeOf(row) - 1);
      if (key === 'ArrowDown') return () => move(row, placeOf(row) + 1);
      return undefined;
    }
    switch (key) {
      case 'ArrowDown':
        return () => go(activeIndex + 1);
      case 'ArrowUp':
        return () => go(activeIndex - 1);
      case 'Home':
        return () => go(0);
      case 'End':
        return () => go(rows.length - 1);
      case 'PageDown':
        return () => go(activeIndex + 12);
      case 'PageUp':
        return () => go(activeIndex - 12);
      case 'Enter':
      case ' ':
        return () => onSelect(row.uid);
      case 'ArrowRight':
        return () => {
          if (row.kind === 'group' && !row.expanded) onToggle(row.uid, true);
          else if (row.kind === 'group') go(activeIndex + 1);
        };
      case 'ArrowLeft':
        return () => {
          if (row.kind === 'group') onToggle(row.uid, false);
          else go(indexOf(row.group.groupUid));
        };
      default:
        return undefined;
    }
  };

  /** Keys stay in their group: over another row, they go to the nearest position in their own. */
  const targetOf = (row: Row, overUid: string | undefined): Row | undefined => {
    const hovered = rows[indexOf(overUid)];
    if (!hovered || hovered.archived) return undefined;
    if (row.kind === 'group') return rows[indexOf(hovered.group.groupUid)];
    return hovered.kind === 'key' && hovered.group.groupUid === row.group.groupUid ? hovered : undefined;
  };

  const onDragOver = ({ over: hovered }: DragOverEvent) => {
    const target = dragged && targetOf(dragged, hovered?.id as string | undefined);
    setOver(target && dragged ? { uid: target.uid, after: target.index > dragged.index } : undefined);
  };
  const onDragEnd = ({ over: hovered }: DragEndEvent) => {
    const target = dragged && targetOf(dragged, hovered?.id as string | undefined);
    if (dragged && target) move(dragged, target.index);
    setDragged(undefined);
    setOver(undefined);
  };

  const items = virtual.getVirtualItems();
  const isActiveThere = items.some(({ index }) => index === activeIndex);
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragStart={({ active: { id: uid } }) => setDragged(rows[indexOf(String(uid))])}
      onDragOver={onDragOver}
      onDragEnd={onDragEnd}
      onDragCancel={() => setDragged(undefined)}
      accessibility={{ announcements: SILENT, screenReaderInstructions: { draggable: '' } }}
    >
      <Box
        ref={scroller}
        className={classes.scroller}
        role="tree"
        tabIndex={0}
        aria-label={t('tree.label')}
        aria-describedby={`${id}-hint`}
        {...(isActiveThere && { 'aria-activedescendant': `${id}-${rows[activeIndex]?.uid}` })}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className={classes.all} style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index] as Row;
            return (
              <TreeRow
                key={item.key}
                id={`${id}-${row.uid}`}
                row={row}
                top={item.start}
                height={ROW_HEIGHT}
                isActive={item.index === activeIndex}
                isSelected={row.uid === selected}
                mayMove={mayMove && !row.archived}
                drop={over?.uid === row.uid ? (over.after ? 'after' : 'before') : undefined}
                onSelect={() => {
                  setActive(row.uid);
                  onSelect(row.uid);
                }}
                onToggle={(expanded) => onToggle(row.group.groupUid, expanded)}
              />
            );
          })}
        </div>
      </Box>
      <VisuallyHidden id={`${id}-hint`}>{t(mayMove ? 'tree.hintMove' : 'tree.hint')}</VisuallyHidden>
      <VisuallyHidden aria-live="assertive" role="status" data-testid="tree-said">
        {said}
      </VisuallyHidden>
      <DragOverlay dropAnimation={null}>
        {dragged && (
          <Paper shadow="md" withBorder p={8}>
            <Text size="sm" fw={dragged.kind === 'group' ? 600 : 400}>
              {dragged.label}
            </Text>
          </Paper>
        )}
      </DragOverlay>
    </DndContext>
  );
}

/** The tree itself announces moves; rows are not focusable one by one, so the handles announce nothing. */
const SILENT = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
};
