import { type KeyboardEvent, useRef } from 'react';
import { afterPointer } from '../drafts.ts';
import type { ControlProps } from '../parts.ts';
import { textOf } from '../typed-text.ts';

/** What all text fields have in common. */
function typing({ id, text, type, commit, describedBy, invalid, disabled }: ControlProps) {
  return {
    className: 'innkeeper-input',
    id,
    value: text,
    disabled,
    'aria-invalid': invalid || undefined,
    'aria-describedby': describedBy,
    onChange: (event: { currentTarget: { value: string } }) => type(event.currentTarget.value),
    onBlur: () => afterPointer(() => commit()),
  };
}

function commitByEnter({ commit }: ControlProps) {
  return (event: KeyboardEvent) => {
    // Enter may also confirm what an input method is composing.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) commit();
  };
}

/**
 * No maximum length: input that is cut off while typing or pasting is lost, refused input is not. A text with line breaks
 * gets a field of several lines, because an input would drop them.
 */
export function TextField(props: ControlProps) {
  if (props.text.includes('\n')) return <ListField {...props} />;
  return <input type="text" dir="auto" {...typing(props)} onKeyDown={commitByEnter(props)} />;
}

/** Not type=number: that shows nothing for input it cannot read, so the input is lost. */
export function NumberField(props: ControlProps) {
  const inputMode = props.optionKey.value_type === 'integer' ? 'numeric' : 'decimal';
  return (
    <input
      type="text"
      dir="ltr"
      inputMode={inputMode}
      autoComplete="off"
      {...typing(props)}
      onKeyDown={commitByEnter(props)}
    />
  );
}

export function DateField(props: ControlProps) {
  const { min, max } = props.optionKey.constraint ?? {};
  const field = useRef<HTMLInputElement>(null);
  const { onChange: _, ...usual } = typing(props);
  // A partial date is empty for the browser, and would be taken for one to be unset.
  const isWhole = () => !field.current?.validity.badInput;
  const commit = () => props.commit(isWhole());
  return (
    <input
      ref={field}
      type="date"
      {...usual}
      min={min ?? undefined}
      max={max ?? undefined}
      onChange={(event) => props.type(event.currentTarget.value, isWhole())}
      onBlur={() => afterPointer(commit)}
      onKeyDown={commitByEnter({ ...props, commit })}
    />
  );
}

export function ListField(props: ControlProps) {
  return <textarea dir="auto" rows={3} {...typing(props)} />;
}

export function Unknown({ id, value, describedBy }: ControlProps) {
  return (
    <output className="innkeeper-unknown" id={id} aria-describedby={describedBy}>
      {textOf(value, 'en')}
    </output>
  );
}
