import type { OptionKey } from '@innkeeper/client';
import { useEffect, useId } from 'react';
import { choicesOf, controlOf, isGroup } from './control-of.ts';
import type { Parts } from './parts.ts';
import type { Value } from './selection-saver.ts';
import type { Texts } from './texts.ts';
import { ARCHIVED, useField } from './use-field.ts';

type OptionFieldProps = {
  optionKey: OptionKey;
  held: Value | undefined;
  parts: Parts;
  texts: Texts;
  onDirty(optionKey: OptionKey, isDirty: boolean): void;
};

/** One key with its control, whatever is wrong with it, and whether it is saved. */
export function OptionField({ optionKey, held, parts, texts, onDirty }: OptionFieldProps) {
  const id = useId();
  const field = useField(optionKey, held, texts);
  const { isDirty, error, sentences } = field;
  useEffect(() => {
    onDirty(optionKey, isDirty);
    return () => onDirty(optionKey, false);
  }, [onDirty, optionKey, isDirty]);

  const control = controlOf(optionKey);
  const Control = parts[control];
  const hint = hintOf(optionKey, control, texts);
  const hintId = `${id}-hint`;
  const messageId = `${id}-message`;
  const invalid = sentences.length > 0;
  const describedBy = [hint && hintId, invalid && messageId].filter(Boolean).join(' ');
  return (
    <parts.Field
      optionKey={optionKey}
      control={control}
      grouped={isGroup(control)}
      id={id}
      hintId={hintId}
      messageId={messageId}
      hint={hint}
      message={
        invalid && (
          <parts.Message id={messageId} texts={texts} sentences={sentences} error={error} retry={field.retry} />
        )
      }
      status={<parts.Status phase={field.phase} texts={texts} />}
    >
      <Control
        optionKey={optionKey}
        id={id}
        describedBy={describedBy || undefined}
        invalid={invalid}
        disabled={optionKey.archived || error?.code === ARCHIVED}
        texts={texts}
        value={field.value}
        choices={choicesOf(optionKey, [held ?? []].flat())}
        choose={field.choose}
        text={field.text}
        type={field.type}
        commit={field.commit}
      />
    </parts.Field>
  );
}

/** The help text of the key, then what its control asks for. */
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
