import type { InnkeeperError, OptionKey, Scalar } from '@innkeeper/client';
import { useEffect, useRef, useState } from 'react';
import { useInnkeeper } from './provider.tsx';
import type { Value } from './selection-saver.ts';
import type { Texts } from './texts.ts';
import { textOf, toCommit } from './typed-text.ts';

type State =
  | { phase: 'rest' | 'saving' | 'saved' }
  /** It was not even sent. */
  | { phase: 'failed'; because: 'howMany' | 'notANumber' | 'notADate' }
  /** It was refused, or nobody answered. */
  | { phase: 'failed'; error: InnkeeperError; value: Value | undefined; sent: Draft | undefined };

/** What somebody typed or chose and the service does not have yet. */
type Draft = { text: string } | { chosen: Value };

/** What the service says of a key that is archived. */
export const ARCHIVED = '1012';

/** One key of a form: what it shows, and what becomes of what is typed and chosen. */
export function useField(optionKey: OptionKey, held: Value | undefined, texts: Texts) {
  const { saver } = useInnkeeper();
  const [draft, setDraft] = useState<Draft>();
  const [state, setState] = useState<State>({ phase: 'rest' });
  const turn = useRef(0);

  async function send(value: Value | undefined, sent: Draft | undefined): Promise<void> {
    turn.current++;
    const mine = turn.current;
    setState({ phase: 'saving' });
    try {
      await (value === undefined ? saver.unset(optionKey) : saver.save(optionKey, value));
      // What was typed meanwhile stays.
      setDraft((now) => (isSame(now, sent) ? undefined : now));
      if (mine === turn.current) setState({ phase: 'saved' });
    } catch (thrown) {
      const error = thrown as InnkeeperError;
      // A choice goes back to what the service has; a text stays to be mended.
      if (sent && 'chosen' in sent) setDraft((now) => (now === sent ? undefined : now));
      if (mine === turn.current) setState({ phase: 'failed', error, value, sent });
    }
  }

  function choose(value: Scalar | readonly Scalar[]): void {
    const { multiple, min_selected: min, max_selected: max } = optionKey;
    const count = typeof value === 'object' ? value.length : 1;
    if (multiple && (count < min || (max !== null && count > max))) {
      // Two steps may lead from one good choice to another.
      setDraft({ chosen: value });
      setState({ phase: 'failed', because: 'howMany' });
      return;
    }
    // Shown from the click on: the list of selections follows a moment later.
    const chosen = { chosen: value };
    setDraft(chosen);
    void send(value, chosen);
  }

  function type(text: string): void {
    setDraft({ text });
    if (state.phase !== 'saving') setState({ phase: 'rest' });
  }

  function commit(isWhole = true): void {
    if (!isWhole) {
      setState({ phase: 'failed', because: 'notADate' });
      return;
    }
    // What was begun was taken back.
    if (state.phase === 'failed' && 'because' in state) setState({ phase: 'rest' });
    if (!draft || !('text' in draft)) return;
    // Its field is left because it can no longer be typed in.
    if (state.phase === 'failed' && 'error' in state && state.error.code === ARCHIVED) return;
    const next = toCommit(optionKey, { text: draft.text, shown: held, isSaving: state.phase === 'saving' });
    if (next === 'wait') return;
    if (next === 'drop') setDraft(undefined);
    else if (next === 'not a number') setState({ phase: 'failed', because: 'notANumber' });
    else void send(next.value, draft);
  }

  // A field that goes away with its page is left as well.
  const leave = useRef(commit);
  useEffect(() => {
    leave.current = commit;
  });
  useEffect(() => () => leave.current(), []);

  const isDirty = draft !== undefined;
  return {
    phase: isDirty && state.phase === 'saved' ? 'rest' : state.phase,
    value: draft && 'chosen' in draft ? draft.chosen : held,
    text: draft && 'text' in draft ? draft.text : textOf(held),
    isDirty,
    choose,
    type,
    commit,
    ...problemOf(state, optionKey, texts, send),
  };
}

/** A refusal in the words of the service. What it did not say itself is said in the language of the form. */
function problemOf(
  state: State,
  { label, min_selected: min, max_selected: max }: OptionKey,
  texts: Texts,
  send: (value: Value | undefined, sent: Draft | undefined) => Promise<void>,
) {
  if (state.phase !== 'failed') return { sentences: [], error: undefined, retry: undefined };
  if ('because' in state) {
    const sentence = state.because === 'howMany' ? texts.howMany(min, max) : texts[state.because];
    return { sentences: [sentence], error: undefined, retry: undefined };
  }
  const { error, value, sent } = state;
  const { status, message, errors } = error;
  const mayGoWell = status === 0 || status === 401 || status === 429 || status >= 500;
  const aboutValue = errors.filter(({ field }) => field.startsWith('value'));
  const details = aboutValue.map((each) => each.message).join('; ');
  const refusal = details ? `${label} ${details}.` : message;
  // With the connection of now: the page may have given a new token since.
  const retry = mayGoWell ? () => void send(value, sent) : undefined;
  return { sentences: [status === 0 ? texts.notSaved : refusal], error, retry };
}

/** Typed again letter by letter is the same as well. */
function isSame(now: Draft | undefined, sent: Draft | undefined): boolean {
  if (now && sent && 'text' in now && 'text' in sent) return now.text === sent.text;
  return now === sent;
}
