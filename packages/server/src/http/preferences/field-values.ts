import type { Key, Scalar } from '../../domain/catalog/catalog.ts';
import type { PlacedKey } from '../../domain/catalog/compile.ts';

/** How a key is shown, with controls that every browser has. */
export type Control = 'switch' | 'radios' | 'select' | 'checkboxes' | 'list' | 'number' | 'date' | 'text' | 'long-text';

/** With more than these, a drop-down list is easier to use. */
const MAX_RADIOS = 6;
/** Longer texts get a multi-line field. */
const LINE_CHARACTERS = 120;

export function controlOf({ type, multiple, values, constraint }: Key): Control {
  if (type === 'boolean' && !multiple && isPlain(values)) return 'switch';
  if (values !== null || type === 'boolean') {
    return multiple ? 'checkboxes' : (values ?? []).length > MAX_RADIOS ? 'select' : 'radios';
  }
  if (multiple) return 'list';
  if (type === 'string') return (constraint.maxLength ?? Number.MAX_VALUE) > LINE_CHARACTERS ? 'long-text' : 'text';
  return type === 'date' ? 'date' : 'number';
}

/** On or off, without labels of its own. */
function isPlain(values: Key['values']): boolean {
  return values === null || (values.length === 2 && values.every(({ texts }) => Object.keys(texts).length === 0));
}

/** A value as the texts of a form field: what is shown, and what the browser sends back. */
export function toTexts(key: Key, value: Scalar | readonly Scalar[] | null | undefined): string[] {
  const values = value === null || value === undefined ? [] : ([value].flat() as Scalar[]);
  switch (controlOf(key)) {
    case 'switch':
      return values[0] === true ? ['true'] : [];
    case 'radios':
    case 'select':
    case 'checkboxes':
      return values.map((each) => JSON.stringify(each));
    default:
      return values.map((each) => plainText(String(each)));
  }
}

/** Browsers send other line endings than they were given. */
function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Converts form texts by the type of the key. The rules decide whether the value is allowed. */
export function readTexts(key: Key, texts: readonly string[]): unknown[] {
  switch (controlOf(key)) {
    case 'switch':
      return [texts.length > 0];
    case 'radios':
    case 'select':
    case 'checkboxes':
      return texts.filter((text) => text !== '').map(readJson);
    case 'list':
      return texts.map((text) => plainText(text)).flatMap((text) => (text.trim() === '' ? [] : [readTyped(key, text)]));
    case 'text':
    case 'long-text':
      return [plainText(texts[0] ?? '')];
    default: {
      const text = (texts[0] ?? '').trim();
      return text === '' ? [] : [readTyped(key, text)];
    }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function readTyped({ type }: Key, text: string): unknown {
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && DECIMAL.test(text.trim()) ? Number(text) : text;
}

export type Form = ReadonlyMap<string, string[]>;

export function readForm(body: Buffer | undefined): Form {
  const form = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body?.toString('utf8') ?? '')) {
    const known = form.get(name);
    if (known) known.push(value);
    else form.set(name, [value]);
  }
  return form;
}

/** What a field shows: the texts as entered, or from the value. */
export type Entered = { placed: PlacedKey; texts: readonly string[]; isTouched: boolean };

export const valueName = ({ keyNo }: Key): string => `v${keyNo}`;
export const shownName = ({ keyNo }: Key): string => `w${keyNo}`;

/**
 * What was entered for a key; undefined if the form has no such field. It counts as touched only if it differs from
 * what the form had shown, so that saving neither turns defaults into selections nor undoes changes made elsewhere
 * meanwhile.
 */
export function readField(form: Form, placed: PlacedKey): Entered | undefined {
  const { key } = placed;
  const shown = form.get(shownName(key))?.[0];
  if (shown === undefined) return undefined;
  const texts = form.get(valueName(key)) ?? [];
  const isTouched = JSON.stringify(readTexts(key, texts)) !== JSON.stringify(readTexts(key, readShown(shown)));
  return { placed, texts, isTouched };
}

function readShown(text: string): string[] {
  const shown = readJson(text);
  return Array.isArray(shown) ? shown.filter((each) => typeof each === 'string') : [];
}
