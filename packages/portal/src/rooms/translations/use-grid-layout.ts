import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type RefObject, useCallback, useEffect, useMemo } from 'react';
import type { Spot } from './selection.ts';
import type { Language } from './text-row.ts';

/** Two lines of text, or four. */
const ROWS = { compact: { height: 44, lines: 2 }, comfortable: { height: 80, lines: 4 } };
type Density = keyof typeof ROWS;

/** As last used in this browser; toolbar and grid stay in sync. */
export function useDensity() {
  return useLocalStorage<Density>({
    key: 'innkeeper-row-height',
    defaultValue: 'compact',
    getInitialValueInEffect: false,
  });
}

const HEAD = 56;
const NAME = 260;
const LEAST = 200;

export type ShownColumn = { index: number; left: number; width: number; language: Language; isPinned: boolean };

/** What all cells of a column share, in the head and in rows. The names are column 1. */
export function inColumn({ index, left, width, isPinned }: ShownColumn) {
  return { 'aria-colindex': index + 2, 'data-pinned': isPinned || undefined, style: { insetInlineStart: left, width } };
}

/**
 * Which rows and columns are rendered, and where: a few dozen of thousands. The head and the rows share it, as do the
 * styles.
 */
export function useGridLayout(
  scroller: RefObject<HTMLDivElement | null>,
  languages: readonly Language[],
  rowCount: number,
  active: Spot,
) {
  const { ref: sizer, width: viewWidth, height: viewHeight } = useElementSize();
  const [density] = useDensity();
  const row = ROWS[density] ?? ROWS.compact;
  const columnWidth = Math.max(LEAST, Math.floor((viewWidth - NAME) / Math.max(1, languages.length)));

  // The source language stays next to the names, if there is room for two other languages.
  const isPinned = languages[0]?.isDefault === true && viewWidth >= NAME + 3 * LEAST;
  const pinned = isPinned ? columnWidth : 0;

  // The active cell is always rendered, however far it was scrolled away: it has the focus.
  const withActive = useCallback((range: Range, index: number) => {
    const shown = defaultRangeExtractor(range);
    return shown.includes(index) || index >= range.count ? shown : [...shown, index].sort((a, b) => a - b);
  }, []);
  const withPinned = (shown: number[]) => (isPinned && !shown.includes(0) ? [0, ...shown] : shown);
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => row.height,
    paddingStart: HEAD,
    scrollPaddingStart: HEAD,
    overscan: 5,
    useFlushSync: false,
    rangeExtractor: (range) => withActive(range, active.row),
  });
  const columns = useVirtualizer({
    horizontal: true,
    count: languages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidth,
    paddingStart: NAME,
    scrollPaddingStart: NAME + pinned,
    overscan: 1,
    useFlushSync: false,
    rangeExtractor: (range) => withPinned(withActive(range, active.column)),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the width of a column changes
  useEffect(() => columns.measure(), [columns, columnWidth]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height of a row changes
  useEffect(() => rows.measure(), [rows, row]);

  const drawn = columns
    .getVirtualItems()
    .map(({ index }) => index)
    .join();
  const shown = useMemo(
    () =>
      drawn.split(',').flatMap((text): ShownColumn[] => {
        const language = text === '' ? undefined : languages[Number(text)];
        const index = Number(text);
        const place = { index, left: NAME + index * columnWidth, width: columnWidth };
        return language ? [{ ...place, language, isPinned: isPinned && index === 0 }] : [];
      }),
    [drawn, languages, columnWidth, isPinned],
  );
  const sizes = {
    '--grid-row': `${row.height}px`,
    '--grid-lines': row.lines,
    '--grid-head': `${HEAD}px`,
    '--grid-name': `${NAME}px`,
    '--grid-width': `${NAME + columnWidth * languages.length}px`,
    '--grid-height': `${rows.getTotalSize()}px`,
  } as CSSProperties;

  return {
    sizer,
    sizes,
    rows: rows.getVirtualItems(),
    columns: shown,
    /** Rows per page. */
    page: Math.max(1, Math.floor((viewHeight - HEAD) / row.height) - 1),
    scrollTo: ({ row, column }: Spot) => {
      rows.scrollToIndex(row, { align: 'auto' });
      columns.scrollToIndex(column, { align: 'auto' });
    },
  };
}
