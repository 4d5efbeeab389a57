import type { History, Step } from './history.ts';
import type { Mark, TextRow } from './text-row.ts';

/** A text to be saved, and the one that it replaces. The path is the last known one. */
export type SentText = { id: string; path: string; tag: string; text: string | null; was: string | null };

/** A text that differs from the service's. */
export type Entry = SentText & {
  phase: Mark['phase'];
  message?: string;
  theirs?: string | null;
  /** A conflict with a catalog that no longer has the item. */
  isGone?: boolean;
  sent?: string | null;
};

export type SheetState = {
  rows: readonly TextRow[];
  /** How often rows were loaded, not how often they changed. */
  loads: number;
  /** How many rows have a text in a language, by tag. */
  filled: Readonly<Record<string, number>>;
  unsaved: number;
  isSaving: boolean;
  /** Why saving currently fails; it is retried, or with `saveNow`. */
  failure: { error: unknown; again: boolean } | undefined;
  conflicts: readonly Conflict[];
  refused: readonly { id: string; tag: string; message: string }[];
  undoable: Step | undefined;
  redoable: Step | undefined;
};

export type Conflict = {
  id: string;
  path: string;
  tag: string;
  mine: string | null;
  theirs: string | null;
  isGone: boolean;
};

type Held = Pick<SheetState, 'rows' | 'loads' | 'filled' | 'failure'> & {
  entries: readonly Entry[];
  isSending: boolean;
  history: History;
};

/** The visible state of a sheet at one moment. */
export function makeState({ rows, loads, filled, entries, isSending, failure, history }: Held): SheetState {
  return {
    rows: [...rows],
    loads,
    filled: { ...filled },
    unsaved: entries.length,
    isSaving: isSending || entries.some(({ phase }) => phase === 'waiting'),
    failure,
    conflicts: orNone(
      entries.flatMap(({ phase, id, path, tag, text, theirs = null, isGone = false }) =>
        phase === 'conflict' ? [{ id, path, tag, mine: text, theirs, isGone }] : [],
      ),
    ),
    refused: entries.flatMap(({ phase, id, tag, message = '' }) => (phase === 'refused' ? [{ id, tag, message }] : [])),
    undoable: history.undoable,
    redoable: history.redoable,
  };
}

/** Always the same empty list, so that components do not render again. */
const NONE: readonly never[] = [];
function orNone<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? NONE : items;
}

export function spotOf({ id, tag }: { id: string; tag: string }): string {
  return `${tag} ${id}`;
}

export function toMark({ phase, message = '', theirs = null }: Entry): Mark {
  if (phase === 'refused') return { phase, message };
  if (phase === 'conflict') return { phase, theirs };
  return { phase };
}
