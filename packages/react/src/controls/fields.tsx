import { type KeyboardEvent, useRef } from 'react';
import type { ControlProps } from '../parts.ts';
import { textOf } from '../typed-text.ts';

/** What all fields for typing have in common. */
function typing({ id, text, type, commit, describedBy, invalid, disabled }: ControlProps) {
  return {
    className: 'innkeeper-input',
    id,
    value: text,
    disabled,
    'aria-invalid': invalid || undefined,
    'aria-describedby': describedBy,
    onChange: (event: { currentTarget: { value: string } }) => type(event.currentTarget.value),
    onBlur: () => commit(),
  };
}

function commitByEnter({ commit }: ControlProps) {
  return (event: KeyboardEvent) => {
    // Enter may also end what an input method composes.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) commit();
  };
}

/** However long: what is cut off while it is typed or pasted is lost, what is refused is not. So are the breaks of lines. */
export function TextField(props: ControlProps) {
  if (textOf(props.value).includes('\n')) return <ListField {...props} />;
  return <input type="text" dir="auto" {...typing(props)} onKeyDown={commitByEnter(props)} />;
}

/** Not of the type number: that one shows nothing of what it cannot read, and so loses what was typed. */
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
  // A date that is begun is empty for the browser, and would be taken for one to be unset.
  const commit = () => props.commit(!field.current?.validity.badInput);
  const whole = { ...props, commit };
  return (
    <input
      ref={field}
      type="date"
      {...typing(whole)}
      min={min ?? undefined}
      max={max ?? undefined}
      onKeyDown={commitByEnter(whole)}
    />
  );
}

export function ListField(props: ControlProps) {
  return <textarea dir="auto" rows={3} {...typing(props)} />;
}

export function Unknown({ id, value, describedBy }: ControlProps) {
  return (
    <output className="innkeeper-unknown" id={id} aria-describedby={describedBy}>
      {textOf(value)}
    </output>
  );
}
