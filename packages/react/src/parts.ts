import type { InnkeeperError, OptionKey, Source, Value } from '@innkeeper/client';
import type { ComponentType, ReactNode } from 'react';
import type { Choice, ControlName } from './control-of.ts';
import type { Texts } from './texts.ts';

export type FormPartProps = {
  /** The label of the group, if there is one to show. */
  title: ReactNode;
  titleId: string;
  /** `div` inside of a form of the page. */
  as: 'form' | 'div';
  lang: string | undefined;
  dir: 'ltr' | 'rtl' | 'auto';
  className: string | undefined;
  texts: Texts;
  /** There if it is saved by a button; `isDirty`: there is something to save. */
  submit: (() => void) | undefined;
  isDirty: boolean;
  children: ReactNode;
};

export type FieldPartProps = {
  optionKey: OptionKey;
  control: ControlName;
  /** The control has parts with labels of their own: a fieldset rather than a label. */
  grouped: boolean;
  id: string;
  hintId: string;
  messageId: string;
  hint: string | undefined;
  invalid: boolean;
  /** The language of the form, where the label is in another. */
  lang: string | undefined;
  source: Source;
  texts: Texts;
  /** There if the user has chosen something that can be taken back. */
  reset: (() => void) | undefined;
  /** What is wrong with what was chosen. */
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
  /** What holds, or is about to; undefined: nobody has chosen, and there is no default. */
  value: Value | undefined;
  choices: readonly Choice[];
  /** Saves it, at once or with the form. */
  choose(value: Value): void;
  /** What is typed, from the first key until it is saved. */
  text: string;
  /** `isWhole` false: the browser knows that it is not all of it, as with a date that is begun. It is never saved. */
  type(text: string, isWhole?: boolean): void;
  /** Saves what was typed: when the field is left, or by the Enter key. `isWhole` as the browser has it now. */
  commit(isWhole?: boolean): void;
};

export type MessagePartProps = {
  id: string;
  texts: Texts;
  sentence: string;
  error: InnkeeperError | undefined;
  /** There if the same may go well the next time. */
  retry: (() => void) | undefined;
};

export type StatusPartProps = { phase: 'rest' | 'saving' | 'saved' | 'failed'; source: Source; texts: Texts };

/** All that a form is made of; each can be replaced, for one form or by the provider for all. */
export type Parts = { [Name in ControlName]: ComponentType<ControlProps> } & {
  Form: ComponentType<FormPartProps>;
  Field: ComponentType<FieldPartProps>;
  Message: ComponentType<MessagePartProps>;
  Status: ComponentType<StatusPartProps>;
  Loading: ComponentType<{ texts: Texts }>;
  Empty: ComponentType<{ texts: Texts }>;
  Failure: ComponentType<{ texts: Texts; error: InnkeeperError; retry(): void }>;
};
