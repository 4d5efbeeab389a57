import { type KeyForm, NO_CONSTRAINT, newRow } from './key-form.ts';

/** The kinds that people think in. For the service, a list is a string key with allowed values. */
export const KINDS = ['boolean', 'one', 'several', 'string', 'integer', 'number', 'date'] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({ type, multiple, listed }: Pick<KeyForm, 'type' | 'multiple' | 'listed'>): Kind {
  if (type !== 'string' || !listed) return type;
  return multiple ? 'several' : 'one';
}

export function isList(kind: Kind): kind is 'one' | 'several' {
  return kind === 'one' || kind === 'several';
}

export function typeOf(kind: Kind): KeyForm['type'] {
  return isList(kind) ? 'string' : kind;
}

/** Converts the form to another kind: what only the previous kind has is dropped, what fits both stays. */
export function withKind(form: KeyForm, kind: Kind): KeyForm {
  const before = kindOf(form);
  const type = typeOf(kind);
  if (kind === before) return form;
  if (isList(kind)) {
    const values = form.type === 'boolean' || form.values.length === 0 ? [newRow()] : form.values;
    const byDefault = isList(before) ? form.byDefault.slice(0, 1) : [];
    return { ...form, type, listed: true, multiple: kind === 'several', values, byDefault };
  }
  const multiple = form.multiple && !isList(before);
  const changed = { ...form, type, multiple, constraint: NO_CONSTRAINT, byDefault: [] };
  if (kind === 'boolean') return { ...changed, listed: true, values: [newRow('true'), newRow('false')] };
  const staysListed = form.listed && form.type !== 'boolean' && kind !== 'string' && !isList(before);
  return { ...changed, listed: staysListed, ...(form.type === 'boolean' && { values: [] }) };
}
