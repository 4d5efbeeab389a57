// biome-ignore-all lint/a11y/useSemanticElements: table elements cannot be virtualized both ways
import { useMergedRef } from '@mantine/hooks';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { Leave } from './cell-editor.tsx';
import { readTable, writeTable } from './clipboard-table.ts';
import { firstColumn, type Only } from './filter-rows.ts';
import classes from './grid.module.css';
import { GridHead } from './grid-head.tsx';
import { GridRow } from './grid-row.tsx';
import { planPaste } from './paste.ts';
import { findMissing, type Progress } from './progress.ts';
import { blockOf, clamp, move, type Selection, type Spot, select } from './selection.ts';
import type { Sheet, TextChange } from './sheet.ts';
import type { Language } from './text-row.ts';
import { useGridLayout } from './use-grid-layout.ts';
import { useSelection } from './use-selection.ts';

export type GridAct =
  | { act: 'paste'; changed: number; empty: number; outside: number }
  | { act: 'clear' | 'cut' | 'undo' | 'redo'; changed: number };

/** With the cells selected around it. */
export type ActiveCell = { id: string; tag: string; isOne: boolean; selected(): TextChange[] };

type Props = {
  sheet: Sheet;
  ids: readonly string[];
  languages: readonly Language[];
  progress: ReadonlyMap<string, Progress>;
  isReadOnly: boolean;
  /** Whether each row must say what it belongs to, because not all rows are shown. */
  isFiltered: boolean;
  /** The filter that selected the rows. */
  only: Only | undefined;
  /** The tag of the default language. */
  from: string | undefined;
  onAct: (act: GridAct) => void;
  onActive: (active: ActiveCell | undefined) => void;
  onShortcuts: () => void;
  onSearch: () => void;
  onOnly: (only: Only) => void;
  onReview: (spots: readonly { id: string; tag: string }[]) => void;
  onReviewAll: ((tag: string) => void) | undefined;
  onHide: (tag: string) => void;
};

/** All texts, one row each, with a column for each language: virtualized both ways, used like a spreadsheet. */
export function TextsGrid(props: Props) {
  const { sheet, ids, languages, isReadOnly, onAct, onActive } = props;
  const { t } = useTranslation('translations');
  const scroller = useRef<HTMLDivElement>(null);
  const isLocked = (tag: string) => languages.some((each) => each.tag === tag && each.isLocked);
  const [editing, setEditing] = useState<{ id: string; tag: string; text: string; before: string }>();
  // Whether the grid has the focus: only then does the focus follow the active cell.
  const isOurs = useRef(false);

  const { selection, bounds, setSelection } = useSelection(ids, languages, () =>
    firstColumn(sheet.row(ids[0] ?? ''), props.only, languages, props.from),
  );
  const { active } = selection;
  const activeId = ids[active.row];
  const activeTag = languages[active.column]?.tag;
  const { sizer, sizes, rows, columns, page, scrollTo } = useGridLayout(scroller, languages, ids.length, active);
  const gridRef = useMergedRef(scroller, sizer);

  const go = (next: Selection) => {
    isOurs.current = true;
    setSelection(next);
    scrollTo(next.active);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the active cell changes or its editor closes
  useLayoutEffect(() => {
    if (!isOurs.current || editing !== undefined) return;
    scroller.current
      ?.querySelector<HTMLElement>(`[data-row="${active.row}"][data-column="${active.column}"]`)
      ?.focus({ preventScroll: true });
  }, [active.row, active.column, editing, ids]);

  const startEditing = (text?: string) => {
    if (isReadOnly || activeId === undefined || activeTag === undefined || isLocked(activeTag)) return;
    isOurs.current = true;
    // Synchronously, so that the key that opened it is typed into the editor.
    const before = sheet.row(activeId)?.texts[activeTag] ?? '';
    flushSync(() => setEditing({ id: activeId, tag: activeTag, text: text ?? before, before }));
  };

  const latest = useRef({ active, bounds, editing, go });
  latest.current = { active, bounds, editing, go };

  const onSave = useCallback(
    (text: string, leave: Leave) => {
      const { active: at, editing: edited, bounds: within, go: goTo } = latest.current;
      setEditing(undefined);
      if (!edited) return;
      // Where it was begun, whichever rows were loaded meanwhile. Someone else may have changed a text that was only opened.
      if (text === edited.before) sheet.type(undefined);
      else sheet.change([{ id: edited.id, tag: edited.tag, text: text === '' ? null : text }], 'edit');
      const by = { down: [1, 0], up: [-1, 0], right: [0, 1], left: [0, -1], stay: [0, 0] }[leave] as [number, number];
      if (leave === 'stay') return;
      goTo(clamp(select({ row: at.row + by[0], column: at.column + by[1] }), within));
    },
    [sheet],
  );
  const onType = useCallback(
    (text: string) => {
      const { editing: edited } = latest.current;
      if (edited) sheet.type({ id: edited.id, tag: edited.tag, text });
    },
    [sheet],
  );
  const onCancel = useCallback(() => {
    sheet.type(undefined);
    setEditing(undefined);
  }, [sheet]);

  const block = blockOf(selection);
  const { top, bottom, left, right } = block;
  const selected = useMemo(() => ({ left, right }), [left, right]);
  const cellsOf = useCallback(
    (): TextChange[] =>
      ids
        .slice(top, bottom + 1)
        .flatMap((id) => languages.slice(left, right + 1).map(({ tag }) => ({ id, tag, text: null }))),
    [ids, languages, top, bottom, left, right],
  );

  useEffect(() => {
    const isOne = top === bottom && left === right;
    const spot = activeId !== undefined && activeTag !== undefined && { id: activeId, tag: activeTag };
    onActive(spot ? { ...spot, isOne, selected: cellsOf } : undefined);
  }, [activeId, activeTag, top, bottom, left, right, cellsOf, onActive]);

  const clear = (act: 'clear' | 'cut') => {
    if (isReadOnly) return;
    const changed = sheet.change(
      cellsOf().filter(({ tag }) => !isLocked(tag)),
      act,
    );
    if (changed > 1) onAct({ act, changed });
  };

  const step = (act: 'undo' | 'redo') => {
    if (isReadOnly) return;
    const changes = act === 'undo' ? sheet.undo() : sheet.redo();
    if (!changes) return;
    onAct({ act, changed: changes.length });
    const [first] = changes;
    const spot = first && {
      row: ids.indexOf(first.id),
      column: languages.findIndex(({ tag }) => tag === first.tag),
    };
    if (spot && spot.row >= 0 && spot.column >= 0) go(select(spot));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (editing !== undefined || !isCell(event.target)) return;
    // AltGr, which types a character, is Control and Alt on some systems.
    const isTyping = event.key.length === 1 && event.getModifierState('AltGraph');
    const isCommand = (event.ctrlKey || event.metaKey) && !isTyping;
    const take = (act: () => void) => {
      event.preventDefault();
      act();
    };
    if (event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const language = languages[active.column];
      const found = language && findMissing(sheet, ids, language, active.row, event.key === 'ArrowDown' ? 1 : -1);
      return take(() => found !== undefined && go(select({ row: found, column: active.column })));
    }
    const moved = event.altKey ? undefined : move(selection, event, { ...bounds, page });
    if (moved) return take(() => go(moved));
    if (isCommand && event.key.toLowerCase() === 'z') return take(() => step(event.shiftKey ? 'redo' : 'undo'));
    if (isCommand && event.key.toLowerCase() === 'y') return take(() => step('redo'));
    if (isCommand && event.key.toLowerCase() === 'f') return take(props.onSearch);
    if (isCommand && event.key === 'Enter') return take(() => !isReadOnly && props.onReview(cellsOf()));
    if (isCommand && event.key.toLowerCase() === 'a') {
      const last = { row: bounds.rows - 1, column: bounds.columns - 1 };
      return take(() => setSelection(select({ row: 0, column: 0 }, last)));
    }
    if (isCommand) return;
    if (event.key === 'Enter' || event.key === 'F2') return take(() => startEditing());
    if (event.key === 'Delete' || event.key === 'Backspace') return take(() => clear('clear'));
    if (event.key === 'Escape') return take(() => go(select(active)));
    if (event.key === '?') return take(props.onShortcuts);
    // Typing replaces the text. The key itself goes to the editor, which has the focus by then; so does an input
    // method's.
    const isKey = event.key.length === 1 || event.key === 'Process' || event.key === 'Dead';
    if (isTyping || (isKey && !event.altKey)) startEditing('');
  };

  const onCopy = (event: ClipboardEvent) => {
    if (editing !== undefined || !isCell(event.target)) return;
    event.preventDefault();
    const table = ids
      .slice(block.top, block.bottom + 1)
      .map((id) => languages.slice(block.left, block.right + 1).map(({ tag }) => sheet.row(id)?.texts[tag] ?? ''));
    const isOne = table.length === 1 && table[0]?.length === 1;
    event.clipboardData.setData('text/plain', isOne ? (table[0]?.[0] ?? '') : writeTable(table));
    if (event.type === 'cut') clear('cut');
  };

  const onPaste = (event: ClipboardEvent) => {
    if (editing !== undefined || isReadOnly || !isCell(event.target)) return;
    event.preventDefault();
    const text = event.clipboardData.getData('text/plain');
    if (text === '') return;
    const table = readTable(text);
    const { changes, empty, outside } = planPaste(table, block, { ids, tags: languages.map(({ tag }) => tag) });
    const changed = sheet.change(
      changes.filter(({ tag }) => !isLocked(tag)),
      'paste',
    );
    const [height, across] = [table.length, Math.max(...table.map((cells) => cells.length))];
    if (height > 1 || across > 1) {
      const end = { row: block.top + height - 1, column: block.left + across - 1 };
      go(clamp(select({ row: block.top, column: block.left }, end), bounds));
    }
    if (changes.length + empty + outside > 1 || changed === 0) onAct({ act: 'paste', changed, empty, outside });
  };

  const onMouseDown = (event: MouseEvent) => {
    const spot = spotOf(event.target);
    if (!spot || event.button !== 0) return;
    event.preventDefault();
    isOurs.current = true;
    // Input elsewhere is saved on blur, before the active cell changes.
    flushSync(() => (document.activeElement as HTMLElement | null)?.blur());
    setSelection(select(spot, event.shiftKey ? selection.anchor : spot));
    // Even if it is already the active cell.
    (event.target as Element).closest<HTMLElement>('[role=gridcell]')?.focus({ preventScroll: true });
  };

  const onMouseOver = (event: MouseEvent) => {
    const spot = event.buttons === 1 && editing === undefined ? spotOf(event.target) : undefined;
    if (spot && isOurs.current) setSelection(select(spot, selection.anchor));
  };

  const onDoubleClick = (event: MouseEvent) => {
    if (spotOf(event.target)) startEditing();
  };

  return (
    <div
      ref={gridRef}
      role="grid"
      aria-label={t('grid.label')}
      aria-rowcount={ids.length + 1}
      aria-colcount={languages.length + 1}
      aria-multiselectable
      aria-readonly={isReadOnly}
      className={classes.grid}
      style={sizes}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onCut={onCopy}
      onPaste={onPaste}
      onMouseDown={onMouseDown}
      onMouseOver={onMouseOver}
      onFocus={(event) => {
        if (isCell(event.target)) isOurs.current = true;
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) isOurs.current = false;
      }}
      onDoubleClick={onDoubleClick}
    >
      <div role="presentation" className={classes.canvas}>
        <GridHead
          columns={columns}
          progress={props.progress}
          onOnly={props.onOnly}
          onReviewAll={props.onReviewAll}
          onHide={props.onHide}
        />
        {rows.map(({ index, start }) => {
          const row = sheet.row(ids[index] ?? '');
          if (!row) return null;
          const isActive = index === active.row;
          const isSelected = index >= block.top && index <= block.bottom;
          return (
            <GridRow
              key={row.id}
              row={row}
              index={index}
              top={start}
              columns={columns}
              active={isActive ? active.column : undefined}
              selected={isSelected ? selected : undefined}
              editing={editing?.id === row.id ? editing.text : undefined}
              showParent={props.isFiltered}
              from={props.from}
              onType={onType}
              onSave={onSave}
              onCancel={onCancel}
            />
          );
        })}
      </div>
    </div>
  );
}

function isCell(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.getAttribute('role') === 'gridcell';
}

function spotOf(target: EventTarget): Spot | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[role=gridcell]') : null;
  if (!cell || (target instanceof Element && target.closest('textarea'))) return undefined;
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}
