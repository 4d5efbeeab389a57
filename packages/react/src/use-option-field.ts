'use client';

import type { InnkeeperError, OptionKey, Source, Value } from '@innkeeper/client';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { type Choice, type ControlName, choicesOf, controlOf } from './control-of.ts';
import { useInnkeeper, useLanguage } from './provider.tsx';
import { isGone, sayRefusal } from './refusal.ts';
import type { OptionName } from './register.ts';
import type { Texts } from './texts.ts';
import { readText, textOf } from './typed-text.ts';
import { useOptionState, type Which } from './use-option.ts';

/** The form around a field that sends it on submit; undefined: it is sent when chosen or on blur. */
export const SubmittedForm = createContext<object | undefined>(undefined);

/** Unsent input. A partial date has no value yet. */
type Draft = { text: string; isWhole: boolean } | { chosen: Value } | { unset: true };
type Problem = 'howMany' | 'notANumber' | 'notADate';

export type OptionField = {
  key: OptionKey;
  control: ControlName;
  value: Value | undefined;
  source: Source;
  choices: readonly Choice[];
  text: string;
  choose(value: Value): void;
  type(text: string, isWhole?: boolean): void;
  commit(isWhole?: boolean): void;
  /** Resets to the default, if there is one. */
  reset(): void;
  phase: 'rest' | 'saving' | 'saved' | 'failed';
  isDirty: boolean;
  /** The key is archived: nothing can be saved any more. */
  isGone: boolean;
  /** What is wrong, in the language of the form. */
  problem: string | undefined;
  error: InnkeeperError | undefined;
  /** Set if a retry may succeed. */
  retry: (() => void) | undefined;
};

/** The behaviour of a field without markup: what it shows, and what happens to input. undefined while it is loading. */
export function useOptionField(which: OptionName | Which): OptionField | undefined {
  const { store, drafts } = useInnkeeper();
  const { texts, lang: locale = 'en' } = useLanguage();
  const form = useContext(SubmittedForm);
  const state = useOptionState(which);
  const [held, setHeld] = useState<{ of: unknown; draft: Draft | undefined; problem: Problem | undefined }>();
  // One user's input is never shown to the next.
  const { draft, problem } = held && held.of === store ? held : NOTHING;
  const { key, failed, error } = state;
  const change = (next: Draft | undefined, wrong?: Problem) => setHeld({ of: store, draft: next, problem: wrong });

  function save(value: Value | undefined): void {
    change(undefined);
    if (!store || !key) return;
    // Failures are part of the state.
    (value === undefined ? store.unset(key) : store.set(key, value)).catch(() => {});
  }

  /** Sends the draft, or says why it cannot be sent. */
  function send(next: Draft | undefined): void {
    if (!key || !next || isGone(error)) return;
    if ('unset' in next) save(undefined);
    else if ('chosen' in next) {
      // Getting from one valid choice to another may take two steps.
      if (hasRightCount(key, next.chosen)) save(next.chosen);
      else change(next, 'howMany');
    } else {
      const read = readDraft(key, next, locale);
      if (typeof read === 'string') change(next, read);
      // Typed and reverted: leave the default unsaved.
      else if (!failed && next.text === textOf(state.value, locale)) change(undefined);
      else save(read.value);
    }
  }

  function put(next: Draft): void {
    if (form) change(next, 'chosen' in next && key && !hasRightCount(key, next.chosen) ? 'howMany' : undefined);
    else send(next);
  }

  /** Completed input may wait for its form; unreadable input is reported immediately. */
  function commit(isWhole?: boolean): void {
    const typed = draft && 'text' in draft ? draft : undefined;
    // A partial date where there was none.
    const now = isWhole === undefined ? typed : { text: typed?.text ?? '', isWhole };
    if (!key || !now || (!typed && isWhole)) return;
    if (!form) send(now);
    else {
      const read = readDraft(key, now, locale);
      change(now, typeof read === 'string' ? read : undefined);
    }
  }

  // For events that arrive late, after a click that may have reset the field: they act on the draft of that time.
  const latest = useRef({ commit, sendNow: () => {} });
  useEffect(() => {
    latest.current = { commit, sendNow: () => send(draft) };
  });
  // A field that is unmounted with its page counts as left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: input for one user is saved before the next is shown
  useEffect(() => () => latest.current.commit(), [store]);
  useEffect(() => {
    if (!draft || !key) return undefined;
    return drafts.add({ key, form, commit: () => latest.current.sendNow() });
  }, [drafts, draft, key, form]);

  if (!key) return undefined;
  const shown = draft && 'unset' in draft ? (key.default_value ?? undefined) : state.value;
  const text = draft && 'text' in draft ? draft.text : textOf(draft ? shown : failed ? failed.value : shown, locale);
  const said = draft ? undefined : error;
  const phase = problem ? 'failed' : state.status === 'loading' || state.status === 'idle' ? 'rest' : state.status;
  const words = { key, value: failed?.value, texts, locale };
  return {
    key,
    control: controlOf(key),
    value: draft && 'chosen' in draft ? draft.chosen : shown,
    source: draft && 'chosen' in draft ? 'chosen' : state.source,
    choices: choicesOf(key, [state.value ?? []].flat(), texts),
    text,
    choose: (value) => put({ chosen: value }),
    type: (typed, isWhole = true) => change({ text: typed, isWhole }),
    commit: (isWhole) => latest.current.commit(isWhole),
    reset: () => put({ unset: true }),
    phase: draft && !problem && phase !== 'saving' ? 'rest' : phase,
    isDirty: draft !== undefined,
    isGone: key.archived || isGone(error),
    problem: problem ? sayProblem(problem, key, texts) : said && sayRefusal(said, words),
    error: said,
    retry: said?.isRetryable ? () => void store?.retry(key).catch(() => {}) : undefined,
  };
}

const NOTHING = { draft: undefined, problem: undefined };

function readDraft(
  key: OptionKey,
  { text, isWhole }: { text: string; isWhole: boolean },
  locale: string,
): { value: Value | undefined } | Problem {
  return isWhole ? readText(key, text, locale) : 'notADate';
}

function hasRightCount({ multiple, min_selected: min, max_selected: max }: OptionKey, value: Value): boolean {
  const count = Array.isArray(value) ? value.length : 1;
  return !multiple || (count >= min && (max === null || count <= max));
}

function sayProblem(problem: Problem, { min_selected: min, max_selected: max }: OptionKey, texts: Texts): string {
  return problem === 'howMany' ? texts.howMany(min, max) : texts[problem];
}
