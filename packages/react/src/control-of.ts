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

/** With more than these, a drop-down list is easier to use. */
const MAX_RADIOS = 4;

const TYPED = new Map<string, ControlName>([
  ['integer', 'NumberField'],
  ['number', 'NumberField'],
  ['date', 'DateField'],
  ['string', 'TextField'],
]);

/** The control for a key; Unknown for types that only a newer service has. */
export function controlOf({ value_type, multiple, allowed_values, default_value }: OptionKey): ControlName {
  if (value_type === 'boolean') {
    if (multiple) return 'CheckboxList';
    // A switch is on or off; a consent that was neither given nor refused is neither.
    return default_value === null ? 'RadioList' : 'Switch';
  }
  const typed = TYPED.get(value_type);
  if (!typed) return 'Unknown';
  if (!allowed_values) return multiple ? 'ListField' : typed;
  if (multiple) return 'CheckboxList';
  return allowed_values.length > MAX_RADIOS ? 'Select' : 'RadioList';
}

/** Whether the control has a label for each of its parts and one for the whole. */
export function isGroup(control: ControlName): boolean {
  return control === 'RadioList' || control === 'CheckboxList';
}

export type Choice = { value: Scalar; label: string; retired: boolean };

/** The values to offer: a retired value only to users who have it. */
export function choicesOf({ allowed_values }: OptionKey, held: readonly Scalar[], texts: Texts): Choice[] {
  // A newer service may send null instead of omitting it.
  const offered = (allowed_values ?? []).filter((each) => each && (!each.retired || held.includes(each.value)));
  return offered.map(({ value, label, retired }) => {
    // A boolean without labels in the catalog.
    const isBare = typeof value === 'boolean' && label === String(value);
    return { value, retired, label: isBare ? (value ? texts.yes : texts.no) : label };
  });
}
