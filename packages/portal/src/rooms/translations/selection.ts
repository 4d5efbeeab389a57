/** A cell of the grid by its position among the visible rows and languages. */
export type Spot = { row: number; column: number };

/** The selection extends from the anchor to the active cell. */
export type Selection = { active: Spot; anchor: Spot };
export type Block = { top: number; bottom: number; left: number; right: number };
export type Bounds = { rows: number; columns: number; page: number };

export function select(active: Spot, anchor: Spot = active): Selection {
  return { active, anchor };
}

export function blockOf({ active, anchor }: Selection): Block {
  return {
    top: Math.min(active.row, anchor.row),
    bottom: Math.max(active.row, anchor.row),
    left: Math.min(active.column, anchor.column),
    right: Math.max(active.column, anchor.column),
  };
}

/** Moves a selection into the grid if that has become smaller. */
export function clamp({ active, anchor }: Selection, { rows, columns }: Omit<Bounds, 'page'>): Selection {
  const into = ({ row, column }: Spot): Spot => ({
    row: Math.max(0, Math.min(row, rows - 1)),
    column: Math.max(0, Math.min(column, columns - 1)),
  });
  return { active: into(active), anchor: into(anchor) };
}

type Keys = { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean };

/** Where a key leads; undefined if it does not move the cursor. */
export function move(selection: Selection, keys: Keys, bounds: Bounds): Selection | undefined {
  const spot = target(selection.active, keys, bounds);
  if (!spot) return undefined;
  const moved = clamp(select(spot), bounds).active;
  return select(moved, keys.shiftKey ? selection.anchor : moved);
}

function target({ row, column }: Spot, keys: Keys, bounds: Bounds): Spot | undefined {
  const far = keys.ctrlKey || keys.metaKey;
  const [last, right] = [bounds.rows - 1, bounds.columns - 1];
  switch (keys.key) {
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: far ? last : row + 1, column };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: far ? right : column + 1 };
    case 'PageUp':
      return { row: row - bounds.page, column };
    case 'PageDown':
      return { row: row + bounds.page, column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? last : row, column: right };
    default:
      return undefined;
  }
}
