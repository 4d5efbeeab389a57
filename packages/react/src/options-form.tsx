'use client';

import type { InnkeeperError, OptionKey, Value } from '@innkeeper/client';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { DEFAULT_PARTS } from './default-parts.tsx';
import { Field, NothingToShow } from './option-field.tsx';
import type { Parts } from './parts.ts';
import { useInnkeeper, useLanguage, useUnsavedOptions } from './provider.tsx';
import { isGone } from './refusal.ts';
import type { OptionGroupName, OptionName } from './register.ts';
import { useOptionCatalog } from './use-option.ts';
import { SubmittedForm } from './use-option-field.ts';

export type OptionsFormProps = {
  /** All keys of this group; default: of all groups. */
  group?: OptionGroupName | undefined;
  /** Only these keys, in this order. */
  include?: readonly OptionName[] | undefined;
  exclude?: readonly OptionName[] | undefined;
  readOnly?: boolean | undefined;
  /** `change`, the default: each choice is saved immediately. `submit`: all together, with a button. */
  saveOn?: 'change' | 'submit' | undefined;
  /** `div` for use inside a form of the page; then that form is submitted, or the button is pressed. */
  as?: 'form' | 'div' | undefined;
  onSaved?: ((saved: { key: OptionKey; value: Value | undefined }) => void) | undefined;
  onError?: ((failed: { key: OptionKey; error: InnkeeperError }) => void) | undefined;
  /** Called when the form starts or stops having unsaved changes. */
  onDirtyChange?: ((isDirty: boolean) => void) | undefined;
  /** Replaces the label of the group; null for none. */
  title?: string | null | undefined;
  /** Replacements for parts of this form. */
  parts?: Partial<Parts> | undefined;
  className?: string | undefined;
};

/** Keys of the catalog, each with the control for its type. */
export function OptionsForm(props: OptionsFormProps) {
  const { group, include, exclude, readOnly, saveOn = 'change', as = 'form', title, className } = props;
  const { lang, dir, texts } = useLanguage();
  const { store, drafts, parts: usual } = useInnkeeper();
  const parts = useMemo<Parts>(() => ({ ...DEFAULT_PARTS, ...usual, ...props.parts }), [usual, props.parts]);
  const { isLoaded, groups, keys, error } = useOptionCatalog();
  const unsaved = useUnsavedOptions();
  const [form] = useState(() => ({}));
  const titleId = useId();

  const isInForm = (key: OptionKey) => {
    const name = nameOf(key);
    return (
      (group === undefined || key.option_group_name === group) &&
      (include?.includes(name) ?? true) &&
      !exclude?.includes(name)
    );
  };
  const offered = keys.filter(isInForm);
  if (include) offered.sort((a, b) => include.indexOf(nameOf(a)) - include.indexOf(nameOf(b)));
  // A key that was archived meanwhile stays as long as it has unsaved input.
  const ownUnsaved = unsaved.filter(isInForm);
  const gone = ownUnsaved.filter((key) => !offered.some((each) => each.option_key_uid === key.option_key_uid));
  const shown = isLoaded ? [...offered, ...gone] : [];
  const isDirty = ownUnsaved.length > 0;
  useReports(shown, isDirty, props);

  const label = title === undefined ? groups.find(({ name }) => name === group)?.label : title;
  const submitAll = () => {
    drafts.commit(form);
    // Input that could not be sent replaces what failed.
    const drafted = drafts.keys().map(({ option_key_uid }) => option_key_uid);
    for (const { key, error } of store?.errors() ?? []) {
      if (isInForm(key) && !drafted.includes(key.option_key_uid) && !isGone(error)) store?.retry(key).catch(() => {});
    }
  };
  const submit = saveOn === 'submit' && !readOnly ? submitAll : undefined;
  const frame = { title: label, titleId, as, lang, dir, className, texts, isDirty };
  return (
    <SubmittedForm.Provider value={submit && form}>
      <parts.Form {...frame} submit={isLoaded ? submit : undefined}>
        {(error || shown.length === 0) && <NothingToShow parts={parts} />}
        {shown.map((key) => (
          <Field key={key.option_key_uid} which={key} readOnly={readOnly} parts={parts} />
        ))}
      </parts.Form>
    </SubmittedForm.Provider>
  );
}

const nameOf = ({ option_group_name, name }: OptionKey) => `${option_group_name}.${name}` as OptionName;

/** Calls the page's callbacks with the results of saves. */
function useReports(keys: readonly OptionKey[], isDirty: boolean, props: OptionsFormProps): void {
  const { store } = useInnkeeper();
  const latest = useRef({ keys, props });
  useEffect(() => {
    latest.current = { keys, props };
  });
  useEffect(() => latest.current.props.onDirtyChange?.(isDirty), [isDirty]);
  useEffect(() => {
    const announced = new Map<string, unknown>();
    return store?.subscribe(() => {
      const { keys, props } = latest.current;
      for (const key of keys) {
        const { status, error, value } = store.get(key);
        const before = announced.get(key.option_key_uid);
        announced.set(key.option_key_uid, status);
        if (before !== 'saving' || status === 'saving') continue;
        if (error) props.onError?.({ key, error });
        else if (status === 'saved') props.onSaved?.({ key, value });
      }
    });
  }, [store]);
}
