import type { TreeKey } from '../../draft/queries.ts';

/** A key being edited: numbers as typed, and settings that do not apply kept until it is saved. */
export type KeyForm = {
  name: string;
  texts: Record<string, string>;
  /** Help texts. */
  descriptions: Record<string, string>;
  type: TreeKey['type'];
  multiple: boolean;
  min: string;
  max: string;
  /** Only the listed values are allowed. */
  listed: boolean;
  values: ValueRow[];
  constraint: Record<ConstraintName, string>;
  /** As strings; several for a multiple key, none without a default. */
  byDefault: string[];
};

/** `id` is only for the page: a value can be retyped. */
export type ValueRow = {
  id: string;
  value: string;
  texts: Record<string, string>;
  retired: boolean;
  replacement: string;
};

export type ConstraintName = 'min' | 'max' | 'step' | 'pattern' | 'max_length';
export type KeyPatch = Record<string, unknown>;
type Scalar = boolean | string | number;
export type FileKey = Pick<TreeKey, 'name' | 'type'> &
  Partial<
    Pick<TreeKey, 'multiple' | 'min' | 'max' | 'default' | 'values' | 'constraint' | 'translations' | 'descriptions'>
  >;

export const CONSTRAINTS: Record<TreeKey['type'], readonly ConstraintName[]> = {
  boolean: [],
  string: ['max_length', 'pattern'],
  integer: ['min', 'max', 'step'],
  number: ['min', 'max', 'step'],
  date: ['min', 'max'],
};

export const NO_CONSTRAINT: KeyForm['constraint'] = { min: '', max: '', step: '', pattern: '', max_length: '' };

let lastId = 0;
export function newRow(value = ''): ValueRow {
  return { id: `row${++lastId}`, value, texts: {}, retired: false, replacement: '' };
}

export function formOf(key: FileKey): KeyForm {
  const values = (key.values ?? (key.type === 'boolean' ? [true, false] : [])).map((plain): ValueRow => {
    const entry = typeof plain === 'object' ? plain : { value: plain };
    return {
      ...newRow(String(entry.value)),
      texts: { ...entry.translations },
      retired: entry.retired ?? false,
      replacement: entry.replacement === undefined ? '' : String(entry.replacement),
    };
  });
  const text = (value: unknown) => (value === undefined ? '' : String(value));
  const { min, max, step, pattern, max_length } = key.constraint ?? {};
  return {
    name: key.name,
    texts: { ...key.translations },
    descriptions: { ...key.descriptions },
    type: key.type,
    multiple: key.multiple ?? false,
    min: key.min ? text(key.min) : '',
    max: text(key.max),
    listed: key.values !== undefined || key.type === 'boolean',
    values,
    constraint: {
      min: text(min),
      max: text(max),
      step: text(step),
      pattern: text(pattern),
      max_length: text(max_length),
    },
    byDefault: key.default === undefined ? [] : [key.default].flat().map(String),
  };
}

/** The key that the form describes. Invalid input is passed on as typed: the service says what is wrong with it. */
export function keyOf(form: KeyForm): FileKey {
  const read = (value: string) => readScalar(form.type, value);
  const values = form.listed ? form.values.map((row) => writeValue(row, read)) : undefined;
  const constraint = form.listed ? undefined : constraintOf(form);
  // A retired value cannot be the default.
  const offered = new Set(form.values.filter(({ retired }) => !retired).map(({ value }) => value));
  const byDefault = form.byDefault.filter((value) => (form.listed ? offered.has(value) : value !== '')).map(read);
  const texts = filled(form.texts);
  const descriptions = filled(form.descriptions);
  return {
    name: form.name.trim(),
    type: form.type,
    ...(form.multiple && { multiple: true, min: (readNumber(form.min) || 0) as number }),
    ...(form.multiple && form.max.trim() !== '' && { max: readNumber(form.max) as number }),
    ...(byDefault.length > 0 && { default: form.multiple ? byDefault : byDefault[0] }),
    ...(values && !isPlainBoolean(form) && { values }),
    ...(constraint && { constraint }),
    ...(texts && { translations: texts }),
    ...(descriptions && { descriptions }),
  };
}

/** undefined if nothing is limited. */
export function constraintOf({ type, constraint }: Pick<KeyForm, 'type' | 'constraint'>): FileKey['constraint'] {
  const entries = CONSTRAINTS[type].flatMap((name) => {
    const typed = constraint[name].trim();
    return typed === '' ? [] : [[name, name === 'pattern' || type === 'date' ? typed : readNumber(typed)]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Whether a boolean has just its two default values. */
function isPlainBoolean({ type, values }: KeyForm): boolean {
  const isPlain = ({ texts, retired }: ValueRow) => !retired && !filled(texts);
  return type === 'boolean' && values.map(({ value }) => value).join() === 'true,false' && values.every(isPlain);
}

function writeValue({ value, texts, retired, replacement }: ValueRow, read: (value: string) => Scalar) {
  const translations = filled(texts);
  if (!translations && !retired && replacement === '') return read(value);
  return {
    value: read(value),
    ...(translations && { translations }),
    ...(retired && { retired }),
    ...(replacement !== '' && { replacement: read(replacement) }),
  };
}

export function filled(texts: Record<string, string>): Record<string, string> | undefined {
  const entries = Object.entries(texts).filter(([, text]) => text.trim() !== '');
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function readScalar(type: TreeKey['type'], text: string): Scalar {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? readNumber(text) : text;
}

function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

const MEMBERS = ['name', 'type', 'multiple', 'min', 'max', 'default', 'values', 'constraint'] as const;

/** The patch from one to the other; empty if they are the same. */
export function patchBetween(before: FileKey, after: FileKey): KeyPatch {
  const patch: KeyPatch = {};
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  for (const member of MEMBERS) {
    if (isEmpty(before[member]) && isEmpty(after[member])) continue;
    if (stable(before[member]) !== stable(after[member])) patch[member] = after[member] ?? null;
  }
  const translations = patchTexts(before.translations, after.translations);
  if (translations) patch.translations = translations;
  const descriptions = patchTexts(before.descriptions, after.descriptions);
  if (descriptions) patch.descriptions = descriptions;
  return patch;
}

export function patchTexts(
  before: Record<string, string> = {},
  after: Record<string, string> = {},
): Record<string, string | null> | undefined {
  const languages = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = languages.filter((language) => (before[language] ?? '') !== (after[language] ?? ''));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((language) => [language, after[language] || null]));
}

/** The same text for the same value, in any order of members. */
export function stable(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
