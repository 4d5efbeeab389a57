import type { AllowedValue, Key, Language, Scalar } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { fill, type LocalizedPageWords } from '../../domain/preferences/page-texts.ts';
import { type Html, html } from './html.ts';
import { inWords, type PageLanguage } from './page.ts';

export type FieldView = {
  catalog: CompiledCatalog;
  language: Language | undefined;
  page: PageLanguage;
};

export type Field = {
  placed: PlacedKey;
  /** What the field contained when the form was first shown. */
  shown: readonly string[];
  /** What it contains now, which may be invalid. */
  texts: readonly string[];
  /** The user's current values, which may be retired. */
  held: readonly Scalar[];
  isWrong: boolean;
};

/** Blank lines at the end of a list, for adding to it without scripts. */
const BLANK_LINES = 2;
/** Maximum lines for a key with a high minimum: more are added as they are filled in. */
const MAX_LINES = 100;

/** In small pieces: a key may have thousands of values, a catalog thousands of keys. */
export function* renderField(view: FieldView, field: Field): Generator<Html, void> {
  const { placed, texts, isWrong } = field;
  const { key } = placed;
  const { page, catalog, language } = view;
  const label = catalog.languages.textFor(key.texts, language, key.name).text;
  const about = catalog.languages.textFor<string | undefined>(key.descriptions, language, undefined).text;
  const reason = isWrong ? problem(page, key, texts) : '';
  const required = requirement(page, key);
  // Do not repeat the same sentence.
  const rule = required === reason ? '' : required;
  const [hintId, errorId] = [`h${key.keyNo}`, `e${key.keyNo}`];
  const hint =
    (about !== undefined || rule !== '') &&
    html`<p class="hint" id="${hintId}">${about !== undefined && html`<span dir="auto">${about}</span> `}${rule !== '' && inWords(page, rule)}</p>`;
  const error = isWrong && html`<p class="error" id="${errorId}">${inWords(page, reason)}</p>`;
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  const attributes = html`${described !== '' && html` aria-describedby="${described}"`}`;
  const wrong = html`${isWrong && html` aria-invalid="true"`}`;
  const hidden = html`<input type="hidden" name="${shownName(key)}" value="${JSON.stringify(field.shown)}">`;
  const name = valueName(key);
  const control = controlOf(key);

  if (control === 'switch') {
    yield html`<div class="field">${hidden}<label class="choice"><input type="checkbox" name="${name}" value="true"${isChecked(texts.length > 0)}${attributes}${wrong}><span class="label" dir="auto">${label}</span></label>${hint}${error}</div>`;
    return;
  }
  if (control === 'radios' || control === 'checkboxes') {
    const isRadio = control === 'radios';
    const chosen = new Set(texts);
    const role = isRadio && html` role="radiogroup"${wrong}`;
    yield html`<fieldset class="field"${role}${attributes}><legend><span dir="auto">${label}</span></legend>${hidden}${hint}${error}`;
    for (const each of choicesOf(key, field.held)) {
      const value = JSON.stringify(each.value);
      yield html`<label class="choice"><input type="${isRadio ? 'radio' : 'checkbox'}" name="${name}" value="${value}"${isChecked(chosen.has(value))}${!isRadio && wrong}><span dir="auto">${nameOf(view, each)}</span></label>`;
    }
    yield html`</fieldset>`;
    return;
  }
  if (control === 'list') {
    const texts = field.texts.filter((text) => text !== '');
    const most = Math.min(
      key.maxSelected ?? Number.MAX_SAFE_INTEGER,
      Math.max(texts.length + BLANK_LINES, Math.min(key.minSelected, MAX_LINES)),
    );
    yield html`<fieldset class="field"${attributes}><legend><span dir="auto">${label}</span></legend>${hidden}${hint}${error}`;
    for (let line = 1; line <= Math.max(most, texts.length); line++) {
      const numbered = fill(page.texts.numbered, { label, number: String(line) });
      yield html`<input ${typeOf(key)} name="${name}" value="${texts[line - 1] ?? ''}" aria-label="${numbered}"${wrong}>`;
    }
    yield html`</fieldset>`;
    return;
  }
  const id = `f${key.keyNo}`;
  const text = texts[0] ?? '';
  const start = html`id="${id}" name="${name}"${attributes}${wrong}`;
  yield html`<div class="field">${hidden}<label class="label" for="${id}" dir="auto">${label}</label>${hint}${error}`;
  if (control === 'select') {
    yield html`<select ${start}><option value="">${page.texts.choose}</option>`;
    for (const each of choicesOf(key, field.held)) {
      const value = JSON.stringify(each.value);
      yield html`<option value="${value}"${value === text && html` selected`}>${nameOf(view, each)}</option>`;
    }
    yield html`</select>`;
  } else if (control === 'long-text' || text.includes('\n')) {
    yield html`<textarea ${start} rows="4" dir="auto">
${text}</textarea>`;
  } else yield html`<input ${typeOf(key)} ${start} value="${text}">`;
  yield html`</div>`;
}

function isChecked(checked: boolean): Html {
  return html`${checked && html` checked`}`;
}

/** A retired value is offered only to users who have it. */
function choicesOf({ values }: Key, held: readonly Scalar[]): AllowedValue[] {
  const all = values ?? [true, false].map((value) => ({ value, texts: {}, retired: false }));
  return all.filter(({ value, retired }) => !retired || held.includes(value));
}

function nameOf({ catalog, language, page }: FieldView, { value, texts, retired }: AllowedValue): string {
  const { text } = catalog.languages.textFor(texts, language, written(page, value));
  return retired ? `${text} (${page.texts.retired})` : text;
}

function written({ texts }: PageLanguage, value: Scalar): string {
  return typeof value === 'number' ? formatNumber(texts, value) : String(value);
}

/**
 * Browsers check what they can; the rules check everything. Text fields have no maximum length, so that nothing typed
 * is lost.
 */
function typeOf({ type, constraint: { min, max, step } }: Key): Html {
  const bounds = html`${min !== undefined && html` min="${min}"`}${max !== undefined && html` max="${max}"`}`;
  if (type === 'date') return html`type="date"${bounds}`;
  if (type === 'string') return html`type="text" dir="auto"`;
  return html`type="number"${bounds} step="${step ?? (type === 'integer' ? 1 : 'any')}"`;
}

type Formats = { number: Intl.NumberFormat; date: Intl.DateTimeFormat };

/** Cached per language of the page: creating one takes longer than writing a field. */
const formats = new WeakMap<LocalizedPageWords, Formats>();

function formatsOf(texts: LocalizedPageWords): Formats {
  const known = formats.get(texts);
  if (known) return known;
  const made = {
    number: new Intl.NumberFormat(texts.tag, { maximumFractionDigits: 20 }),
    date: new Intl.DateTimeFormat(texts.tag, { dateStyle: 'long', timeZone: 'UTC' }),
  };
  formats.set(texts, made);
  return made;
}

const formatNumber = (texts: LocalizedPageWords, value: number): string => formatsOf(texts).number.format(value);

function formatBound(texts: LocalizedPageWords, type: Key['type'], bound: number | string): string {
  if (type !== 'date') return formatNumber(texts, Number(bound));
  return formatsOf(texts).date.format(new Date(`${bound}T00:00:00Z`));
}

/** What a key requires, as a sentence; '' if the control makes it obvious. */
function requirement({ texts }: PageLanguage, key: Key): string {
  const { type, multiple, minSelected, maxSelected, values } = key;
  const { min, max, step, maxLength } = key.constraint;
  const sentences: string[] = [];
  if (multiple) {
    const number = (count: number) => formatNumber(texts, count);
    if (minSelected === maxSelected) sentences.push(fill(texts.exactly, { count: number(minSelected) }));
    else {
      if (minSelected > 0) sentences.push(fill(texts.atLeast, { min: number(minSelected) }));
      if (maxSelected !== null) sentences.push(fill(texts.atMost, { max: number(maxSelected) }));
    }
  }
  const bound = (each: number | string) => formatBound(texts, type, each);
  const parts = [
    min !== undefined && max !== undefined
      ? fill(texts.between, { min: bound(min), max: bound(max) })
      : min !== undefined
        ? fill(texts.from, { min: bound(min) })
        : max !== undefined && fill(texts.upTo, { max: bound(max) }),
    step !== undefined && step !== 1 && fill(texts.steps, { step: formatNumber(texts, step) }),
  ].filter((part) => part !== false);
  if (values === null && parts.length > 0) sentences.push(`${[kindOf(texts, type), ...parts].join(texts.comma)}.`);
  if (maxLength !== undefined) sentences.push(fill(texts.characters, { most: formatNumber(texts, maxLength) }));
  return sentences.join(' ');
}

function kindOf(texts: PageLanguage['texts'], type: Key['type']): string {
  return type === 'date' ? texts.date : type === 'integer' ? texts.wholeNumber : texts.number;
}

/** Why the input is refused: the requirement, worded differently if it is already shown. */
function problem(page: PageLanguage, key: Key, entered: readonly string[]): string {
  const { texts } = page;
  const rule = requirement(page, key);
  if (key.multiple && rule !== '') return rule;
  if (key.values !== null) return texts.notOffered;
  if (entered.every((text) => text.trim() === '')) return texts.needed;
  if (key.constraint.pattern !== undefined) return `${rule} ${texts.format}`.trim();
  if (rule !== '') return rule;
  return key.type === 'string' ? texts.format : `${kindOf(texts, key.type)}.`;
}

/** How a key is shown, with controls that every browser has. */
type Control = 'switch' | 'radios' | 'select' | 'checkboxes' | 'list' | 'number' | 'date' | 'text' | 'long-text';

/** With more than these, a drop-down list is easier to use. */
const MAX_RADIOS = 6;
/** Longer texts get a multi-line field. */
const LINE_CHARACTERS = 120;

function controlOf({ type, multiple, values, constraint }: Key): Control {
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
  const values = value === null || value === undefined ? [] : [value].flat();
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

type Form = ReadonlyMap<string, string[]>;

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

const valueName = ({ keyNo }: Key): string => `v${keyNo}`;
const shownName = ({ keyNo }: Key): string => `w${keyNo}`;

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
