import type { InnkeeperError, OptionKey, Scalar } from '@innkeeper/client';
import type { ComponentType, ReactNode } from 'react';
import type { Choice, ControlName } from './control-of.ts';
import type { Value } from './selection-saver.ts';
import type { Texts } from './texts.ts';

export type FormPartProps = {
  /** The label of the group, if there is one to show. */
  title: ReactNode;
  titleId: string;
  lang: string | undefined;
  dir: 'ltr' | 'rtl' | 'auto';
  className: string | undefined;
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
  /** What holds, or is about to. */
  value: Value | undefined;
  choices: readonly Choice[];
  /** Saves it at once. */
  choose(value: Scalar | readonly Scalar[]): void;
  /** What is typed, from the first key until it is saved. */
  text: string;
  type(text: string): void;
  /**
   * Saves what was typed: when the field is left, or by the Enter key. `false` where the field cannot tell yet what it is:
   * a browser says nothing of a date that is begun.
   */
  commit(isWhole?: boolean): void;
};

export type MessagePartProps = {
  id: string;
  texts: Texts;
  /** A sentence each. */
  sentences: readonly string[];
  error: InnkeeperError | undefined;
  /** There if the same may go well the next time. */
  retry: (() => void) | undefined;
};

export type StatusPartProps = { phase: 'rest' | 'saving' | 'saved' | 'failed'; texts: Texts };

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
