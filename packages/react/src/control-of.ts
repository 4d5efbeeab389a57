import type { OptionKey, Scalar } from '@innkeeper/client';
import type { Texts } from './texts.ts';

export type ControlName =
  | 'Switch'
  | 'RadioList'
  | 'Select'
  | 'CheckboxList'
  | 'NumberField'
  | 'DateField'
  | 'TextField'
  | 'ListField'
  | 'Unknown';

/** More than these are easier to find in a list that opens. */
const MOST_RADIOS = 4;

const TYPED = new Map<string, ControlName>([
  ['integer', 'NumberField'],
  ['number', 'NumberField'],
  ['date', 'DateField'],
  ['string', 'TextField'],
]);

/** The control that a key is shown with; Unknown for what a newer service may have that this version does not know. */
export function controlOf({ value_type, multiple, allowed_values, default_value }: OptionKey): ControlName {
  if (value_type === 'boolean') {
    if (multiple) return 'CheckboxList';
    // A switch is on or off; a consent that nobody gave or refused is neither.
    return default_value === null ? 'RadioList' : 'Switch';
  }
  const typed = TYPED.get(value_type);
  if (!typed) return 'Unknown';
  if (!allowed_values) return multiple ? 'ListField' : typed;
  if (multiple) return 'CheckboxList';
  return allowed_values.length > MOST_RADIOS ? 'Select' : 'RadioList';
}

/** These have a label for each of their parts and one for the whole. */
export function isGroup(control: ControlName): boolean {
  return control === 'RadioList' || control === 'CheckboxList';
}

export type Choice = { value: Scalar; label: string; retired: boolean };

/** What can be chosen: a retired value only by those who have it. */
export function choicesOf({ allowed_values }: OptionKey, held: readonly Scalar[], texts: Texts): Choice[] {
  // A newer service may say null where this one says nothing.
  const offered = (allowed_values ?? []).filter((each) => each && (!each.retired || held.includes(each.value)));
  return offered.map(({ value, label, retired }) => {
    // A boolean that nobody has given words.
    const isBare = typeof value === 'boolean' && label === String(value);
    return { value, retired, label: isBare ? (value ? texts.yes : texts.no) : label };
  });
}
