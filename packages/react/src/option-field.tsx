'use client';

import type { OptionKey } from '@innkeeper/client';
import { useId } from 'react';
import { isGroup } from './control-of.ts';
import { DEFAULT_PARTS } from './default-parts.tsx';
import type { Parts } from './parts.ts';
import { useInnkeeper, useLanguage } from './provider.tsx';
import type { OptionName } from './register.ts';
import type { Texts } from './texts.ts';
import { useOptionCatalog, type Which } from './use-option.ts';
import { useOptionField } from './use-option-field.ts';

export type OptionFieldProps = {
  /** 'group.key' */
  name: OptionName;
  readOnly?: boolean | undefined;
  /** Replacements for parts of this field. */
  parts?: Partial<Parts> | undefined;
};

/** One key with its control, its error message and its save status. */
export function OptionField({ name, readOnly, parts }: OptionFieldProps) {
  const { parts: usual } = useInnkeeper();
  return <Field which={name} readOnly={readOnly} parts={{ ...DEFAULT_PARTS, ...usual, ...parts }} />;
}

type FieldProps = { which: Which; readOnly?: boolean | undefined; parts: Parts };

export function Field({ which, readOnly = false, parts }: FieldProps) {
  const id = useId();
  const { texts, lang } = useLanguage();
  const field = useOptionField(which);
  if (!field) return <NothingToShow parts={parts} />;

  const { key, control, problem, source } = field;
  const Control = parts[control];
  const hint = hintOf(key, control, texts);
  const hintId = `${id}-hint`;
  const messageId = `${id}-message`;
  const invalid = problem !== undefined;
  const describedBy = [hint && hintId, invalid && messageId].filter(Boolean).join(' ');
  const disabled = readOnly || field.isGone;
  return (
    <parts.Field
      optionKey={key}
      control={control}
      grouped={isGroup(control)}
      id={id}
      hintId={hintId}
      messageId={messageId}
      hint={hint}
      invalid={invalid}
      lang={lang}
      source={source}
      texts={texts}
      reset={source === 'chosen' && !disabled ? field.reset : undefined}
      message={
        problem !== undefined && (
          <parts.Message id={messageId} texts={texts} sentence={problem} error={field.error} retry={field.retry} />
        )
      }
      status={<parts.Status phase={field.phase} source={source} texts={texts} />}
    >
      <Control
        optionKey={key}
        id={id}
        describedBy={describedBy || undefined}
        invalid={invalid}
        disabled={disabled}
        texts={texts}
        value={field.value}
        choices={field.choices}
        choose={field.choose}
        text={field.text}
        type={field.type}
        commit={field.commit}
      />
    </parts.Field>
  );
}

/** Shown in place of fields: they are loading, could not be loaded, or are not in the catalog. */
export function NothingToShow({ parts }: { parts: Parts }) {
  const { store } = useInnkeeper();
  const { texts } = useLanguage();
  const { isLoaded, error } = useOptionCatalog();
  if (error) return <parts.Failure error={error} texts={texts} retry={() => void store?.refresh().catch(() => {})} />;
  return isLoaded ? <parts.Empty texts={texts} /> : <parts.Loading texts={texts} />;
}

/** The key's help text, then what its control requires. */
function hintOf(optionKey: OptionKey, control: string, texts: Texts): string | undefined {
  const { description, min_selected: min, max_selected: max } = optionKey;
  const hints = [description, controlHint(control, min, max, texts)].filter((hint) => hint);
  return hints.length > 0 ? hints.join('\n') : undefined;
}

function controlHint(control: string, min: number, max: number | null, texts: Texts): string | undefined {
  if (control === 'CheckboxList') return min > 0 || max !== null ? texts.howMany(min, max) : undefined;
  if (control === 'ListField') return texts.onePerLine;
  return control === 'Unknown' ? texts.notSupported : undefined;
}
