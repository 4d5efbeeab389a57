import { History, type Step } from './history.ts';
import { type Entry, makeState, type SentText, type SheetState, spotOf, toMark } from './sheet-state.ts';
import { type ReviewedText, SinceLoad } from './since-load.ts';
import type { Mark, TextRow, TextState } from './text-row.ts';

/** The service's limit, checked here so that a paste is not sent in vain. */
const TEXT_LIMIT = 2000;
const BATCH = 1000;
const PAUSE = 400;
const RETRY_FIRST = 2_000;
const RETRY_MOST = 60_000;

export type TextChange = { id: string; tag: string; text: string | null };

/** The result of sending texts. */
export type SendOutcome =
  | { outcome: 'saved' }
  /** None was saved: these have changed and are not the ones that were to be replaced. */
  | { outcome: 'changed'; texts: readonly { id: string; tag: string; text: string | null }[] }
  /** None was saved: these are invalid. */
  | { outcome: 'refused'; problems: readonly { index: number | undefined; message: string }[] }
  | { outcome: 'failed'; error: unknown; again: boolean };

/** Keeps unsaved texts, and the one being typed, through a reload or a crash. */
export type KeptTexts = {
  /** Hands over what pages that are gone have kept, now or when such a page goes. */
  adopt(take: (texts: readonly SentText[]) => void): void;
  write(texts: SentText[]): void;
  type(text: SentText | undefined): void;
};

/**
 * All texts of an application as the grid shows them. Input is shown immediately and saved in batches, one after the
 * other; each text says which one it replaces, so that no one overwrites another. Texts that cannot be saved stay, with
 * the reason.
 */
export class Sheet {
  #rows: TextRow[] = [];
  #index = new Map<string, number>();
  #filled: Record<string, number> = {};
  #entries = new Map<string, Entry>();
  #history = new History();
  #listeners = new Set<() => void>();
  #state: SheetState | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;
  #failure: SheetState['failure'];
  #retryIn = RETRY_FIRST;
  #batch = BATCH;
  #loads = 0;
  /** Adopted texts whose cell has another unsaved text: they are sent after it, as a conflict. */
  #later: SentText[] = [];
  #sinceLoad = new SinceLoad();
  /** With the text that was there when typing began: others may change it meanwhile. */
  #typed: SentText | undefined;
  readonly #send: (texts: SentText[]) => Promise<SendOutcome>;
  readonly #kept: KeptTexts;

  constructor(send: (texts: SentText[]) => Promise<SendOutcome>, kept: KeptTexts) {
    this.#send = send;
    this.#kept = kept;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get state(): SheetState {
    this.#state ??= makeState({
      rows: this.#rows,
      loads: this.#loads,
      filled: this.#filled,
      entries: [...this.#entries.values()],
      isSending: this.#isSending,
      failure: this.#failure,
      history: this.#history,
    });
    return this.#state;
  }

  /** To be called before texts are requested from the service. */
  startLoading(): void {
    this.#sinceLoad = new SinceLoad();
  }

  /** Texts from the service, the first ones or all; texts that are newer stay on top of them. */
  load(rows: readonly TextRow[], { isComplete }: { isComplete: boolean }): void {
    this.#rows = [...rows];
    this.#loads += 1;
    this.#index = new Map(rows.map(({ id }, index) => [id, index]));
    this.#filled = {};
    for (const { texts } of rows) for (const tag of Object.keys(texts)) this.#count(tag, 1);
    for (const { id, tag, text, before } of this.#sinceLoad.saved) {
      if (before.has(this.row(id)?.texts[tag] ?? null)) this.#show(id, tag, text);
    }
    for (const reviewed of this.#sinceLoad.reviewed) this.#setState(reviewed);
    this.#placeTyped(isComplete);
    for (const entry of [...this.#entries.values()]) this.#place(entry, isComplete);
    if (isComplete) {
      this.#takeLater();
      this.#keep();
      this.#kept.adopt(this.#adopt);
    }
    this.#emit();
    if (isComplete) this.#schedule(0);
  }

  row(id: string): TextRow | undefined {
    const index = this.#index.get(id);
    return index === undefined ? undefined : this.#rows[index];
  }

  rowAt(path: string): TextRow | undefined {
    return this.#rows.find((row) => row.path === path);
  }

  /** An unsaved text among rows that were just loaded. */
  #place(entry: Entry, isComplete: boolean): void {
    const row = this.row(entry.id);
    if (!row) {
      // The item is gone. Its text stays until someone discards it; nothing is lost with a removal.
      if (isComplete && entry.text === null) this.#entries.delete(spotOf(entry));
      else if (isComplete && entry.phase !== 'saving') Object.assign(entry, { phase: 'conflict', isGone: true });
      return;
    }
    // The service already has this text, from us or someone else.
    if ((row.texts[entry.tag] ?? null) === entry.text && entry.phase !== 'saving') {
      this.#entries.delete(spotOf(entry));
      return;
    }
    const isBack = entry.isGone || (entry.phase === 'refused' && entry.path !== row.path);
    Object.assign(entry, { path: row.path, isGone: false, ...(isBack && { phase: 'waiting' }) });
    this.#show(entry.id, entry.tag, entry.text);
    this.#mark(entry);
  }

  #placeTyped(isComplete: boolean): void {
    const typed = this.#typed;
    const row = typed && this.row(typed.id);
    if (!typed || (!row && !isComplete)) return;
    this.#typed = row && { ...typed, path: row.path };
    this.#kept.type(this.#typed);
    if (!row) this.#entries.set(spotOf(typed), { ...typed, phase: 'waiting' });
  }

  #adopt = (texts: readonly SentText[]): void => {
    this.#later.push(...texts);
    this.#takeLater();
    this.#settle();
  };

  #takeLater(): void {
    const texts = this.#later;
    this.#later = [];
    for (const kept of texts) {
      // An item that was created again has another id.
      const { id, path } = this.row(kept.id) ?? this.rowAt(kept.path) ?? kept;
      const text: SentText = { ...kept, id, path };
      const known = this.#entries.get(spotOf(text));
      const isTyped = this.#typed && spotOf(this.#typed) === spotOf(text);
      if (isTyped || (known && known.text !== text.text)) {
        this.#later.push(text);
        continue;
      }
      if (known) continue;
      const entry: Entry = { ...text, phase: 'waiting' };
      this.#entries.set(spotOf(entry), entry);
      this.#place(entry, true);
    }
  }

  /** Returns how many texts changed: these can be undone in one step. */
  change(changes: readonly TextChange[], kind: Step['kind']): number {
    const typed = this.#typed;
    const done = this.#apply(changes, typed && kind === 'edit' ? typed : undefined);
    if (typed && kind === 'edit') this.type(undefined);
    if (done.length > 0) this.#history.add({ kind, changes: done });
    this.#settle();
    return done.length;
  }

  /** A text being typed: not sent yet, but not to be lost. Without one, typing has ended. */
  type(change: TextChange | undefined): void {
    const isSame = change && this.#typed && spotOf(change) === spotOf(this.#typed);
    // Its editor went away without an end.
    if (change && this.#typed && !isSame) this.change([this.#typed], 'edit');
    const row = change && this.row(change.id);
    const before = (change && row?.texts[change.tag]) ?? null;
    const text = textOf(change?.text);
    const was = isSame ? this.#typed?.was : change && this.#entries.get(spotOf(change))?.was;
    const isChanged = change && row && text !== before;
    this.#typed = isChanged ? { ...change, path: row.path, text, was: was === undefined ? before : was } : undefined;
    this.#kept.type(this.#typed);
    if (!this.#typed && this.#later.length > 0) {
      this.#takeLater();
      this.#settle();
    }
  }

  get isTyping(): boolean {
    return this.#typed !== undefined;
  }

  /** Leaving in the middle of a text keeps the input. */
  leave(): void {
    if (this.#typed) this.change([this.#typed], 'edit');
    this.saveNow();
  }

  /** The texts that were restored by undoing the last step; undefined if there is none. */
  undo(): readonly TextChange[] | undefined {
    return this.#step(this.#history.undo());
  }

  redo(): readonly TextChange[] | undefined {
    return this.#step(this.#history.redo());
  }

  /** Decides which side of a conflict stays. */
  resolve({ id, tag }: { id: string; tag: string }, side: 'mine' | 'theirs'): void {
    const entry = this.#entries.get(spotOf({ id, tag }));
    if (entry?.phase !== 'conflict') return;
    const theirs = entry.theirs ?? null;
    if (entry.isGone && side === 'mine') return;
    if (side === 'theirs' || entry.text === theirs) {
      this.#show(id, tag, theirs);
      this.#drop(entry);
    } else {
      Object.assign(entry, { was: theirs, phase: 'waiting' });
      this.#mark(entry);
    }
    this.#settle();
  }

  /** Sets the service's new state of the current texts. */
  setStates(texts: readonly Omit<ReviewedText, 'state'>[], state: TextState | undefined): void {
    for (const text of texts) {
      this.#sinceLoad.reviewed.push({ ...text, state });
      this.#setState({ ...text, state });
    }
    this.#emit();
  }

  #setState({ id, tag, text, state }: ReviewedText): void {
    const index = this.#index.get(id);
    const row = index === undefined ? undefined : this.#rows[index];
    if (index === undefined || row?.texts[tag] !== text) return;
    this.#rows[index] = { ...row, since: { ...row.since, [tag]: { texts: row.texts, state } } };
  }

  /** Records a change made elsewhere, so that it can be undone here. */
  record(step: Step): void {
    if (step.changes.length > 0) this.#history.add(step);
    this.#emit();
  }

  /** Resolves when nothing is in flight any more. */
  async settled(): Promise<void> {
    this.saveNow();
    while (this.state.isSaving && !this.#failure) {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
      });
    }
  }

  /** Saves immediately, and retries what failed before. */
  saveNow(): void {
    this.#retryIn = RETRY_FIRST;
    this.#failure = undefined;
    this.#emit();
    this.#schedule(0);
  }

  #apply(changes: readonly TextChange[], typed?: SentText): Step['changes'] {
    const done: Step['changes'] = [];
    for (const { id, tag, text: wanted } of changes) {
      const row = this.row(id);
      const text = textOf(wanted);
      const before = row?.texts[tag] ?? null;
      if (!row || before === text) continue;
      const was = typed && spotOf(typed) === spotOf({ id, tag }) ? typed.was : before;
      const known = this.#entries.get(spotOf({ id, tag }));
      // Nothing was typed in the end, but someone else changed it.
      if (!known && text === was) continue;
      done.push({ id, tag, from: before, to: text });
      const entry = known ?? { id, path: row.path, tag, was, text, phase: 'waiting' };
      entry.text = text;
      if (text !== null && text.length > TEXT_LIMIT && [...text].length > TEXT_LIMIT) {
        Object.assign(entry, { phase: 'refused', message: 'tooLong' });
      } else if (entry.phase === 'refused') entry.phase = 'waiting';
      this.#entries.set(spotOf(entry), entry);
      this.#show(id, tag, text);
      // It equals the service's text again.
      if (entry.phase === 'waiting' && entry.text === entry.was) this.#drop(entry);
      else this.#mark(entry);
    }
    return done;
  }

  #step(step: Step | undefined): readonly TextChange[] | undefined {
    if (!step) return undefined;
    // Texts that have changed since are left alone.
    const wanted = step.changes.filter(({ id, tag, from }) => (this.row(id)?.texts[tag] ?? null) === from);
    const changes = wanted.map(({ id, tag, to }) => ({ id, tag, text: to }));
    this.#apply(changes);
    this.#settle();
    return changes;
  }

  #settle(): void {
    this.#keep();
    this.#emit();
    this.#schedule(PAUSE);
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#flush(), delay);
  }

  async #flush(): Promise<void> {
    if (this.#isSending) return;
    const batch = [...this.#entries.values()].filter(({ phase }) => phase === 'waiting').slice(0, this.#batch);
    if (batch.length === 0) return;
    this.#isSending = true;
    for (const entry of batch) {
      Object.assign(entry, { phase: 'saving', sent: entry.text });
      this.#mark(entry);
    }
    this.#emit();
    const outcome = await this.#send(batch.map(toSent));
    this.#isSending = false;
    this.#take(batch, outcome);
    this.#keep();
    this.#emit();
  }

  #take(batch: Entry[], outcome: SendOutcome): void {
    this.#failure = undefined;
    // Unless set below, it is sent again.
    for (const entry of batch) if (entry.phase === 'saving') entry.phase = 'waiting';
    if (outcome.outcome === 'saved') {
      this.#batch = BATCH;
      this.#retryIn = RETRY_FIRST;
      for (const entry of batch) {
        const { id, tag, was, sent = null } = entry;
        this.#sinceLoad.addSaved({ id, tag, was, text: sent });
        entry.was = sent;
        if (entry.text === entry.was && entry.phase === 'waiting') this.#drop(entry);
      }
    } else if (outcome.outcome === 'changed') {
      for (const { id, tag, text } of outcome.texts) {
        const entry = this.#entries.get(spotOf({ id, tag }));
        if (entry) Object.assign(entry, { phase: 'conflict', theirs: text });
      }
    } else if (outcome.outcome === 'refused') this.#refuse(batch, outcome.problems);
    else {
      this.#failure = { error: outcome.error, again: outcome.again };
      for (const entry of batch) this.#mark(entry);
      if (outcome.again) this.#schedule(this.#retryIn);
      this.#retryIn = Math.min(this.#retryIn * 2, RETRY_MOST);
      return;
    }
    for (const entry of batch) if (this.#entries.get(spotOf(entry)) === entry) this.#mark(entry);
    this.#takeLater();
    this.#schedule(0);
  }

  #refuse(batch: Entry[], problems: readonly { index: number | undefined; message: string }[]): void {
    const placed = problems.filter(({ index }) => index !== undefined && batch[index]);
    for (const { index, message } of placed) {
      Object.assign(batch[index as number] as Entry, { phase: 'refused', message });
    }
    if (placed.length > 0) return;
    // It is unknown which one failed: try smaller batches until it is known.
    const [only] = batch;
    if (batch.length === 1 && only) Object.assign(only, { phase: 'refused', message: problems[0]?.message ?? '' });
    else this.#batch = Math.ceil(batch.length / 4);
  }

  #show(id: string, tag: string, text: string | null): void {
    const index = this.#index.get(id);
    const row = index === undefined ? undefined : this.#rows[index];
    if (index === undefined || !row) return;
    const { [tag]: before, ...others } = row.texts;
    this.#count(tag, Number(text !== null) - Number(before !== undefined));
    const texts = text === null ? others : { ...others, [tag]: text };
    this.#rows[index] = { ...row, texts, since: { ...row.since, [tag]: { texts, state: undefined } } };
  }

  #mark(entry: Entry): void {
    this.#setMark(entry, toMark(entry));
  }

  #drop(entry: Entry): void {
    this.#entries.delete(spotOf(entry));
    this.#setMark(entry, undefined);
  }

  #setMark({ id, tag }: Entry, mark: Mark | undefined): void {
    const index = this.#index.get(id);
    const row = index === undefined ? undefined : this.#rows[index];
    if (index === undefined || !row) return;
    const { [tag]: _, ...others } = row.marks ?? {};
    const marks = mark ? { ...others, [tag]: mark } : others;
    this.#rows[index] = { ...row, marks: Object.keys(marks).length > 0 ? marks : undefined };
  }

  #count(tag: string, by: number): void {
    this.#filled[tag] = (this.#filled[tag] ?? 0) + by;
  }

  #keep(): void {
    this.#kept.write([...this.#entries.values(), ...this.#later].map(toSent));
  }

  #emit(): void {
    this.#state = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function toSent({ id, path, tag, text, was }: SentText): SentText {
  return { id, path, tag, text, was };
}

/** Blank input counts as no text. */
function textOf(typed: string | null | undefined): string | null {
  return typed === undefined || typed === null || typed.trim() === '' ? null : typed;
}
