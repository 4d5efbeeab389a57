import type { AnyCatalog, HeldValueOf, KeyName } from './catalog.ts';
import { type InnkeeperError, ownError } from './error.ts';
import type { KeyUid } from './key-uids.ts';
import type { OptionGroup, OptionKey, OptionsClient, Selection, UserOption, Value } from './options.ts';
import { type Change, combine, type Held, heldOf, isDone, toChange } from './selection-change.ts';
import { type Entry, isSameState, LOADING, newEntry, type OptionState, shownOf, stateOf } from './selection-entry.ts';

/** What can be chosen, in the language of the store; older texts stay until the new language is loaded. */
export type CatalogState = {
  isLoaded: boolean;
  groups: readonly OptionGroup[];
  keys: readonly OptionKey[];
  /** Why there is no catalog, or not the one requested last. */
  error: InnkeeperError | undefined;
};

/** Everything a store has loaded, for passing from a server to a page. */
export type StoreData = {
  groups: readonly OptionGroup[];
  keys: readonly OptionKey[];
  selections: readonly Selection[];
};

export type StoreOptions = {
  /** The user in the application's own terms: another user needs another store. */
  userId: string;
  /** The language of the catalog's texts. */
  language?: string | undefined;
  /** What a store on the server had loaded. */
  data?: StoreData | undefined;
};

type ValueFor<C extends AnyCatalog, N> = N extends KeyName<C> ? HeldValueOf<C, N> : Value;

export type SelectionStore<C extends AnyCatalog = AnyCatalog> = {
  /** The first subscriber starts loading. */
  subscribe(listener: () => void): () => void;
  get<N extends KeyName<C> | KeyUid>(key: N): OptionState<ValueFor<C, N>>;
  /** Shows the value immediately; resolves when nothing of the key is left to send, with `error` if it was not saved. */
  set<N extends KeyName<C> | KeyUid>(key: N, value: ValueFor<C, N>): Promise<OptionState<ValueFor<C, N>>>;
  /** Resets to the default, if there is one. */
  unset<N extends KeyName<C> | KeyUid>(key: N): Promise<OptionState<ValueFor<C, N>>>;
  /** Retries what could not be saved. */
  retry<N extends KeyName<C> | KeyUid>(key: N): Promise<OptionState<ValueFor<C, N>>>;
  /** Keys with something that is not saved yet. */
  pending(): readonly OptionKey[];
  /** Keys with something that could not be saved. */
  errors(): readonly { key: OptionKey; error: InnkeeperError }[];
  catalog(): CatalogState;
  /** Reads everything again. */
  refresh(): Promise<void>;
  readonly userId: string;
  setLanguage(language: string | undefined): void;
  /** Continues with another client for the same user: another token or address. */
  setClient(client: OptionsClient<C>): void;
  /** Sends what is waiting, because the page is being left. */
  flush(): void;
  data(): StoreData;
};

/** How often to retry when pages save the same record at the same time. */
const TRIES = 8;
/** A save that timed out may still arrive within this time; afterwards, networks and proxies have dropped it. */
const LATE_MS = 120_000;
/** Errors that mean that this page's catalog or record is outdated. */
const OUTDATED = ['1004', '1005', '1008', '1012', '9404'];
const NOTHING = { groups: [], keys: [] };

/**
 * One user's selections, for pages of any framework. Choices show immediately. Each key has at most one save in flight
 * and one waiting; the newest wins, and none can undo a newer one, even if it arrives late. Decision 56 has the
 * reasons.
 */
export function createSelectionStore<C extends AnyCatalog = AnyCatalog>(
  given: OptionsClient<C>,
  { userId, language, data }: StoreOptions,
): SelectionStore<C> {
  let client = given as unknown as OptionsClient;
  // Learned from the first response: from then on, no other user's token is accepted.
  let userUid: string | undefined;
  let clock = 0;
  // Of the texts on the page: those of another language may still be loading.
  let shownIn = language;
  let offered: Pick<CatalogState, 'groups' | 'keys'> | undefined = data;
  let selections = data && byKey(data.selections);
  let catalog: CatalogState | undefined;
  /** Of a key without an entry. */
  let absent = LOADING;
  const errors: { catalog?: unknown; selections?: unknown } = {};
  let catalogTurn = 0;
  let reading: Promise<void> | undefined;
  let readingNext: Promise<void> | undefined;
  let isBehind = false;
  let isStarted = false;
  const entries = new Map<string, Entry>();
  const names = new Map<string, string>();
  const listeners = new Set<() => void>();

  const changed = (entry?: Entry): void => {
    if (entry) entry.isStale = true;
    for (const listener of [...listeners]) listener();
  };

  const entryOf = (of: string | KeyUid): Entry | undefined =>
    selections && entries.get(typeof of === 'string' ? (names.get(of) ?? '') : of?.option_key_uid);

  /** Both are needed before anything can be shown. */
  function place(): void {
    const { groups, keys } = offered ?? NOTHING;
    const error = (errors.catalog ?? errors.selections) as InnkeeperError | undefined;
    const next = { isLoaded: !!(offered && selections), groups, keys, error };
    const parts = Object.keys(next) as (keyof CatalogState)[];
    if (parts.some((part) => next[part] !== catalog?.[part])) {
      catalog = next;
      const why = error ?? (next.isLoaded ? ownError('unknown_key', 'The catalog has no such key.') : undefined);
      absent = why ? { ...LOADING, status: 'failed', error: why } : LOADING;
    }
    names.clear();
    for (const key of keys) {
      const name = `${key.option_group_name}.${key.name}`;
      // Names with dots can collide: the first one wins.
      if (!names.has(name)) names.set(name, key.option_key_uid);
      const entry = entries.get(key.option_key_uid);
      if (entry) Object.assign(entry, { key, isStale: true });
      else if (selections) entries.set(key.option_key_uid, newEntry(key, selections.get(key.option_key_uid)));
    }
    changed();
  }

  async function readCatalog(): Promise<void> {
    const turn = ++catalogTurn;
    const wanted = { language };
    try {
      const [groups, keys] = await Promise.all([client.groups(wanted).all(), client.keys(wanted).all()]);
      if (turn !== catalogTurn) return;
      offered = { groups: unlessSame(offered?.groups, groups), keys: unlessSame(offered?.keys, keys) };
      shownIn = wanted.language;
      errors.catalog = undefined;
    } catch (error) {
      if (turn === catalogTurn) errors.catalog = error;
      throw error;
    } finally {
      place();
    }
  }

  /** Starts a new read, so that it includes everything up to this call: a read in flight may be older. */
  function readSelections(): Promise<void> {
    if (!reading) {
      reading = readNow().finally(() => {
        reading = undefined;
      });
      return reading;
    }
    const next = () => {
      readingNext = undefined;
      return readSelections();
    };
    readingNext ??= reading.then(next, next);
    return readingNext;
  }

  async function readNow(): Promise<void> {
    const began = ++clock;
    try {
      const items = await client.selections({ effective: true, userUid }).all();
      userUid ??= items[0]?.user_uid;
      selections = byKey(items);
      errors.selections = undefined;
      for (const [uid, entry] of entries) {
        if (entry.isSending || entry.touched > began) {
          isBehind = true;
          continue;
        }
        const before = entry.held;
        entry.held = heldOf(entry.key, selections.get(uid));
        entry.isUnsure = false;
        takeBackLate(entry, before);
        if (entry.failed && isDone(entry.key, entry.held, entry.failed.change)) entry.failed = undefined;
      }
    } catch (error) {
      // Data that could be fresher is not a failure.
      if (!selections) errors.selections = error;
      throw error;
    } finally {
      place();
    }
  }

  /** A save arrived late. If the user has since changed back, the earlier value is restored. */
  function takeBackLate(entry: Entry, before: Held): void {
    const { key, held, waiting, inFlight, failed } = entry;
    const late = entry.late.filter(({ at }) => Date.now() - at < LATE_MS);
    const arrived = late.find(({ change, etag }) => etag === before.etag && isDone(key, held, change));
    entry.late = late.filter((each) => each !== arrived);
    if (!arrived || waiting || inFlight || failed) return;
    entry.waiting = before.source === 'chosen' ? { value: before.value as Value } : { unset: true };
    entry.draining ??= drain(entry);
  }

  const refresh = async (): Promise<void> => {
    isStarted = true;
    await Promise.all([readCatalog(), readSelections()]);
  };

  const inBackground = (act: Promise<unknown>): void => {
    act.catch(() => {});
  };

  async function send({ key, held }: Entry, change: Change, ifMatch: string | null | undefined): Promise<Held> {
    const how = { ifMatch, userUid, keepalive: true, shownIn };
    if ('unset' in change) {
      if (held.uid) await client.unset(held.uid, how);
      return heldOf(key, undefined);
    }
    const saved = await ('value' in change ? client.save(key, change.value, how) : client.change(key, change, how));
    userUid ??= saved.user_uid;
    return heldOf(key, saved);
  }

  /** Sends until it is saved or has failed. */
  async function attempt(entry: Entry, change: Change): Promise<InnkeeperError | undefined> {
    for (let tries = 1; ; tries++) {
      let isSent = false;
      try {
        if (entry.isUnsure) await readSelections();
        if (isDone(entry.key, entry.held, change)) return undefined;
        isSent = true;
        entry.isSending = true;
        entry.touched = ++clock;
        try {
          entry.held = await send(entry, change, entry.held.etag);
        } finally {
          entry.isSending = false;
          entry.touched = ++clock;
        }
        return undefined;
      } catch (thrown) {
        const error = thrown as InnkeeperError;
        if (error.code === '1014' && tries < TRIES) {
          entry.held = heldOf(entry.key, error.body.current as UserOption | null);
          continue;
        }
        if (isSent && isUnknown(error)) {
          entry.isUnsure = true;
          entry.late.push({ change, etag: entry.held.etag, at: Date.now() });
          await readSelections().catch(() => {});
          if (!entry.isUnsure && isDone(entry.key, entry.held, change)) return undefined;
        } else if (OUTDATED.includes(error.code)) {
          // The record to unset is gone: it may have been saved again.
          entry.isUnsure = true;
          if (error.code === '9404' && tries < TRIES) continue;
          inBackground(refresh());
        }
        return error;
      }
    }
  }

  async function drain(entry: Entry): Promise<void> {
    while (entry.waiting) {
      const change = entry.waiting;
      entry.inFlight = change;
      entry.waiting = undefined;
      entry.isSaved = false;
      changed(entry);
      const error = await attempt(entry, change);
      entry.inFlight = undefined;
      entry.isSaved = !error;
      if (error && entry.waiting) entry.waiting = combine(entry.key, change, entry.waiting);
      else if (error) entry.failed = { change, error };
    }
    entry.draining = undefined;
    changed(entry);
    if (isBehind && ![...entries.values()].some(({ isSending }) => isSending)) {
      isBehind = false;
      inBackground(readSelections());
    }
  }

  async function want(of: string | KeyUid, toWant: (entry: Entry) => Change | undefined): Promise<OptionState> {
    if (!entryOf(of)) await refresh();
    const entry = entryOf(of);
    if (!entry)
      throw ownError('unknown_key', `The catalog has no key "${typeof of === 'string' ? of : of?.option_key_uid}".`);
    const change = toWant(entry);
    entry.failed = undefined;
    const { key, held, inFlight, waiting, isUnsure } = entry;
    const isPending = waiting ?? inFlight;
    if (change && (isPending || isUnsure || !isDone(key, held, change))) {
      const isRedundant = isPending && isDone(key, shownOf(entry), change);
      if (!isRedundant) entry.waiting = combine(key, waiting, change);
      entry.draining ??= drain(entry);
    } else entry.isSaved = false;
    changed(entry);
    await entry.draining;
    return get(of);
  }

  function get(of: string | KeyUid): OptionState {
    const entry = entryOf(of);
    if (!entry) return absent;
    if (entry.isStale) {
      const next = stateOf(entry);
      if (!isSameState(next, entry.state)) entry.state = next;
      entry.isStale = false;
    }
    return entry.state;
  }

  place();

  const store = {
    userId,
    subscribe(listener: () => void) {
      listeners.add(listener);
      if (!isStarted) inBackground(refresh());
      return () => listeners.delete(listener);
    },
    get,
    set: (of: string | KeyUid, value: Value) => want(of, (entry) => toChange(entry.key, shownOf(entry).value, value)),
    unset: (of: string | KeyUid) => want(of, () => ({ unset: true })),
    retry: (of: string | KeyUid) => want(of, ({ failed }) => failed?.change),
    pending: () => [...entries.values()].filter(({ inFlight, waiting }) => inFlight ?? waiting).map(({ key }) => key),
    errors: () => [...entries.values()].flatMap(({ key, failed }) => (failed ? [{ key, error: failed.error }] : [])),
    catalog: () => catalog as CatalogState,
    refresh,
    setLanguage(wanted: string | undefined) {
      if (wanted === language) return;
      language = wanted;
      if (isStarted) inBackground(readCatalog());
    },
    setClient(next: OptionsClient<C>) {
      if ((next as unknown) === client) return;
      client = next as unknown as OptionsClient;
      if (isStarted) inBackground(refresh());
    },
    flush() {
      for (const entry of entries.values()) {
        const { key, held, inFlight, waiting } = entry;
        // The one in flight may be pausing before a retry. If it is not, either may arrive first: it only succeeds for
        // the record as it was.
        if (inFlight && waiting) inBackground(send(entry, combine(key, inFlight, waiting), undefined));
        else if (inFlight) inBackground(send(entry, inFlight, held.etag));
      }
    },
    data: (): StoreData => ({ ...(offered ?? NOTHING), selections: [...(selections?.values() ?? [])] }),
  };
  return store as unknown as SelectionStore<C>;
}

const byKey = (items: readonly Selection[]) => new Map(items.map((item) => [item.option_key_uid, item]));

function unlessSame<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before?.length === now.length && before.every((each, at) => each === now[at]) ? before : now;
}

/** It is unknown whether it was done. */
function isUnknown({ status, code }: InnkeeperError): boolean {
  return status >= 500 || ['unreachable', 'timeout', 'garbled', 'aborted'].includes(code);
}
