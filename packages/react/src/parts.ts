import type { InnkeeperError, OptionKey, Source, Value } from '@innkeeper/client';
import type { ComponentType, ReactNode } from 'react';
import type { Choice, ControlName } from './control-of.ts';
import type { Texts } from './texts.ts';

export type FormPartProps = {
  /** The label of the group, if there is one to show. */
  title: ReactNode;
  titleId: string;
  /** `div` inside a form of the page. */
  as: 'form' | 'div';
  lang: string | undefined;
  dir: 'ltr' | 'rtl' | 'auto';
  className: string | undefined;
  texts: Texts;
  /** Set if the form is saved with a button; `isDirty`: there is something to save. */
  submit: (() => void) | undefined;
  isDirty: boolean;
  children: ReactNode;
};

export type FieldPartProps = {
  optionKey: OptionKey;
  control: ControlName;
  /** The control has parts with their own labels: use a fieldset rather than a label. */
  grouped: boolean;
  id: string;
  hintId: string;
  messageId: string;
  hint: string | undefined;
  invalid: boolean;
  /** The language of the form, if the label's differs. */
  lang: string | undefined;
  source: Source;
  texts: Texts;
  /** Set if the user has chosen something that can be reset. */
  reset: (() => void) | undefined;
  /** What is wrong with the choice. */
  message: ReactNode;
  status: ReactNode;
  children: ReactNode;
};

export type ControlProps = {
  optionKey: OptionKey;
  id: string;
  /** Ids of hint and message, for aria-describedby. */
  describedBy: string | undefined;
  invalid: boolean;
  disabled: boolean;
  texts: Texts;
  /** The current value, or the one being saved; undefined: neither chosen nor a default. */
  value: Value | undefined;
  choices: readonly Choice[];
  /** Saves the value, immediately or with the form. */
  choose(value: Value): void;
  /** What is typed, from the first key until it is saved. */
  text: string;
  /** `isWhole` false: the browser knows that the input is incomplete, such as a partial date. It is never saved. */
  type(text: string, isWhole?: boolean): void;
  /** Saves what was typed: on blur, or with the Enter key. `isWhole` is the browser's current state. */
  commit(isWhole?: boolean): void;
};

export type MessagePartProps = {
  id: string;
  texts: Texts;
  sentence: string;
  error: InnkeeperError | undefined;
  /** Set if a retry may succeed. */
  retry: (() => void) | undefined;
};

export type StatusPartProps = { phase: 'rest' | 'saving' | 'saved' | 'failed'; source: Source; texts: Texts };

/** All parts of a form; each can be replaced, in one form or by the provider in all. */
export type Parts = { [Name in ControlName]: ComponentType<ControlProps> } & {
  Form: ComponentType<FormPartProps>;
  Field: ComponentType<FieldPartProps>;
  Message: ComponentType<MessagePartProps>;
  Status: ComponentType<StatusPartProps>;
  Loading: ComponentType<{ texts: Texts }>;
  Empty: ComponentType<{ texts: Texts }>;
  Failure: ComponentType<{ texts: Texts; error: InnkeeperError; retry(): void }>;
};
