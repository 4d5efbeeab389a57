// biome-ignore-all lint/a11y/useSemanticElements: table elements cannot be virtualized both ways
// biome-ignore-all lint/a11y/useFocusableInteractive: in a grid the cells take the focus, one at a time
import { VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { CellEditor, type Leave } from './cell-editor.tsx';
import classes from './grid.module.css';
import { directionOf, isMissing, stateOf, type TextRow, type TextState } from './text-row.ts';
import { inColumn, type ShownColumn } from './use-grid-layout.ts';

type Props = {
  row: TextRow;
  index: number;
  top: number;
  columns: readonly ShownColumn[];
  /** The column of the active cell, if it is in this row. */
  active: number | undefined;
  /** The selected columns in this row. */
  selected: { left: number; right: number } | undefined;
  /** The initial text of the editor, if one is open in this row. */
  editing: string | undefined;
  showParent: boolean;
  /** The tag of the default language. */
  from: string | undefined;
  onType: (text: string) => void;
  onSave: (text: string, leave: Leave) => void;
  onCancel: () => void;
};

/** Renders again only if something in it changes: of thousands of rows, a few dozen exist at a time. */
export const GridRow = memo(function GridRow(props: Props) {
  const { row, index, top, columns, active, selected, editing, showParent, from, onType, onSave, onCancel } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={editing === undefined ? classes.row : `${classes.row} ${classes.editing}`}
      data-kind={row.kind}
      style={{ top }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        className={classes.name}
        data-kind={showParent ? 'flat' : row.kind}
        title={row.path}
      >
        <span className={classes.nameText}>
          {showParent && row.parent !== '' && <span className={classes.parent}>{row.parent}</span>}
          <bdi>{row.name}</bdi>
        </span>
      </div>
      {columns.map((column) => (
        <GridCell
          key={column.language.tag}
          row={row}
          rowIndex={index}
          column={column}
          state={stateOf(row, column.language, from)}
          isActive={active === column.index}
          isSelected={selected !== undefined && selected.left <= column.index && column.index <= selected.right}
          editing={active === column.index ? editing : undefined}
          onType={onType}
          onSave={onSave}
          onCancel={onCancel}
        />
      ))}
    </div>
  );
});

function GridCell(props: {
  row: TextRow;
  rowIndex: number;
  column: ShownColumn;
  state: TextState | undefined;
  isActive: boolean;
  isSelected: boolean;
  editing: string | undefined;
  onType: Props['onType'];
  onSave: Props['onSave'];
  onCancel: Props['onCancel'];
}) {
  const { row, rowIndex, column, state, isActive, isSelected, editing, onType, onSave, onCancel } = props;
  const { language } = column;
  const text = row.texts[language.tag];
  const mark = row.marks?.[language.tag];
  return (
    <div
      role="gridcell"
      aria-selected={isSelected}
      tabIndex={isActive ? 0 : -1}
      className={classes.cell}
      {...inColumn(column)}
      data-row={rowIndex}
      data-column={column.index}
      data-active={isActive || undefined}
      data-missing={isMissing(row, language) || undefined}
      data-phase={mark?.phase}
      data-state={state}
    >
      {text !== undefined ? (
        <span className={classes.text} lang={language.tag} dir="auto">
          {text}
        </span>
      ) : (
        language.isDefault && (
          <span className={`${classes.text} ${classes.standIn}`} dir={directionOf(language.tag)}>
            {row.name}
          </span>
        )
      )}
      {state && <StateSign state={state} />}
      {mark && <MarkWords phase={mark.phase} />}
      {editing !== undefined && (
        <CellEditor
          text={editing}
          label={row.name}
          language={language}
          onType={onType}
          onSave={onSave}
          onCancel={onCancel}
        />
      )}
    </div>
  );
}

function StateSign({ state }: { state: TextState }) {
  const { t } = useTranslation('translations');
  const Icon = state === 'outdated' ? IconAlertTriangle : IconCheck;
  return <Icon size={14} className={classes.state} role="img" aria-label={t(`state.${state}`)} />;
}

/** The meaning of the dot in the corner, for screen readers. */
function MarkWords({ phase }: { phase: 'waiting' | 'saving' | 'refused' | 'conflict' }) {
  const { t } = useTranslation('translations');
  return <VisuallyHidden>{t(`mark.${phase}`)}</VisuallyHidden>;
}
