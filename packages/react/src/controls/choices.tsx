import type { Scalar } from '@innkeeper/client';
import type { Choice } from '../control-of.ts';
import type { ControlProps } from '../parts.ts';

export function Switch({ id, value, choose, describedBy, invalid, disabled }: ControlProps) {
  return (
    <input
      className="innkeeper-switch"
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox itself exposes whether it is checked
      role="switch"
      id={id}
      checked={value === true}
      disabled={disabled}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      onChange={(event) => choose(event.currentTarget.checked)}
    />
  );
}

export function RadioList({ id, value, choices, choose, describedBy, disabled, texts }: ControlProps) {
  return choices.map((choice, place) => (
    <label className="innkeeper-choice" key={String(choice.value)}>
      <input
        type="radio"
        name={id}
        id={place === 0 ? id : undefined}
        checked={choice.value === value}
        disabled={disabled}
        aria-describedby={describedBy}
        onChange={() => choose(choice.value)}
      />
      <ChoiceLabel choice={choice} retired={texts.retired} />
    </label>
  ));
}

export function Select({ id, value, choices, choose, describedBy, invalid, disabled, texts }: ControlProps) {
  const place = choices.findIndex((choice) => choice.value === value);
  return (
    <select
      className="innkeeper-select"
      id={id}
      value={place}
      disabled={disabled}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      onChange={(event) => {
        const chosen = choices[Number(event.currentTarget.value)];
        if (chosen) choose(chosen.value);
      }}
    >
      {place === -1 && <option value={-1}>{texts.choose}</option>}
      {choices.map((choice, each) => (
        <option key={String(choice.value)} value={each}>
          {choice.retired ? `${choice.label} (${texts.retired})` : choice.label}
        </option>
      ))}
    </select>
  );
}

export function CheckboxList({ id, value, choices, choose, describedBy, invalid, disabled, texts }: ControlProps) {
  const chosen = new Set<Scalar>([value ?? []].flat());
  const toggle = (which: Scalar) => {
    const next = choices.map((each) => each.value).filter((each) => chosen.has(each) !== (each === which));
    choose(next);
  };
  return choices.map((choice, place) => (
    <label className="innkeeper-choice" key={String(choice.value)}>
      <input
        type="checkbox"
        id={place === 0 ? id : undefined}
        checked={chosen.has(choice.value)}
        disabled={disabled}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        onChange={() => toggle(choice.value)}
      />
      <ChoiceLabel choice={choice} retired={texts.retired} />
    </label>
  ));
}

function ChoiceLabel({ choice: { label, retired }, retired: word }: { choice: Choice; retired: string }) {
  return (
    <>
      <bdi>{label}</bdi>
      {retired && <span className="innkeeper-retired"> ({word})</span>}
    </>
  );
}
