import type { InnkeeperError } from './error.ts';
import type { OptionKey, Selection, Value } from './options.ts';
import { type Change, type Held, heldOf, overlay, type Source } from './selection-change.ts';

/** One key as a page shows it. The same object for as long as nothing changes. */
export type OptionState<V = Value> = {
  /** undefined: the catalog is not loaded yet, or has no key of this name. */
  key: OptionKey | undefined;
  /** What is being saved, applied to what the service has. */
  value: V | undefined;
  source: Source;
  /** `failed`: not saved, not loaded, or not in the catalog; `error` says why. */
  status: 'loading' | 'idle' | 'saving' | 'saved' | 'failed';
  /** What could not be saved; with `value` undefined, it was to be unset. */
  failed: { value: V | undefined } | undefined;
  error: InnkeeperError | undefined;
};

/** What the store knows about one key. */
export type Entry = {
  key: OptionKey;
  held: Held;
  inFlight: Change | undefined;
  waiting: Change | undefined;
  failed: { change: Change; error: InnkeeperError } | undefined;
  isSaved: boolean;
  /** The result of the last save is unknown: it must be read before anything else is sent. */
  isUnsure: boolean;
  /** Saves without a response. Each may still take effect if the record is as it was when the save was sent. */
  late: { change: Change; etag: string | null; at: number }[];
  isSending: boolean;
  /** When something was last sent or received: anything read before that is stale. */
  touched: number;
  draining: Promise<void> | undefined;
  state: OptionState;
  isStale: boolean;
};

export const LOADING: OptionState = {
  key: undefined,
  value: undefined,
  source: 'unset',
  status: 'loading',
  failed: undefined,
  error: undefined,
};

export function newEntry(key: OptionKey, selection: Selection | undefined): Entry {
  return {
    key,
    held: heldOf(key, selection),
    inFlight: undefined,
    waiting: undefined,
    failed: undefined,
    isSaved: false,
    isUnsure: false,
    late: [],
    isSending: false,
    touched: 0,
    draining: undefined,
    state: LOADING,
    isStale: true,
  };
}

export function shownOf({ key, held, inFlight, waiting }: Entry): Held {
  return overlay(key, overlay(key, held, inFlight), waiting);
}

export function stateOf(entry: Entry): OptionState {
  const { key, held, failed, inFlight, waiting, isSaved } = entry;
  const { value, source } = shownOf(entry);
  const status = inFlight || waiting ? 'saving' : failed ? 'failed' : isSaved ? 'saved' : 'idle';
  const unsaved = failed && overlay(key, held, failed.change);
  return {
    key,
    value,
    source,
    status,
    failed: unsaved && { value: 'unset' in failed.change ? undefined : unsaved.value },
    error: failed?.error,
  };
}

/** Whether components that show it need not render again. */
export function isSameState(a: OptionState, b: OptionState): boolean {
  const visibleState = ({ value, source, status, failed }: OptionState) =>
    JSON.stringify([value, source, status, failed]);
  return a.key === b.key && a.error === b.error && visibleState(a) === visibleState(b);
}
