import type { AllowedValue, Group, GroupDefinition, Key, KeyDefinition, Language, Scalar, Texts } from './catalog.ts';
import type { CatalogChange, ChangeDetail } from './change.ts';
import { constraintProblem, MAX_TEXT } from './check-value.ts';
import { show, showList } from './show-value.ts';

export function compareLanguages(before: Language[], after: Language[]): CatalogChange[] {
  const known = new Map(before.map((language) => [language.tag, language]));
  const changes: CatalogChange[] = [];
  const add = (kind: CatalogChange['kind'], path: string, ...texts: string[]) =>
    changes.push({ kind, subject: 'language', path, details: texts.map((text) => ({ text })) });

  for (const language of after) {
    const old = known.get(language.tag);
    if (!old) add('added', language.name, `tag ${language.tag}${language.isDefault ? ', the default' : ''}`);
    else if (old.name !== language.name) add('renamed', language.name, `was ${old.name}`);
    if (old && language.isDefault && !old.isDefault) add('changed', language.name, 'becomes the default');
  }
  const wanted = new Set(after.map((language) => language.tag));
  for (const { tag, name } of before) {
    if (!wanted.has(tag)) add('archived', name, 'its texts are no longer served');
  }
  const order = after.map(({ tag }) => tag);
  if (
    isReordered(
      before.map(({ tag }) => tag),
      order,
    )
  ) {
    add('changed', 'languages', `order: ${showList(order)}`);
  }
  return changes;
}

/** Whether those that are in both stand in another order. */
export function isReordered(before: readonly unknown[], after: readonly unknown[]): boolean {
  const inAfter = new Set(after);
  const inBefore = new Set(before);
  const kept = before.filter((item) => inAfter.has(item));
  return after.filter((item) => inBefore.has(item)).some((item, place) => item !== kept[place]);
}

export function compareGroup(before: Group, after: GroupDefinition, languages: Language[]): ChangeDetail[] {
  return [...nameDetail(before.name, after.name), ...textDetails(before.texts, after.texts, languages, '')];
}

export function compareKey(before: Key, after: KeyDefinition, languages: Language[]): ChangeDetail[] {
  const { keyNo } = before;
  const details: ChangeDetail[] = [...nameDetail(before.name, after.name)];
  const changed = (what: string, from: unknown, to: unknown, touches?: (chosen: Scalar[]) => boolean): void => {
    if (show(from) === show(to)) return;
    details.push({ text: `${what}: ${show(from)} → ${show(to)}`, ...(touches && { breaking: { keyNo, touches } }) });
  };

  const { minSelected: min, maxSelected: max, constraint } = after;
  changed('type', before.type, after.type, everyone);
  changed('multiple', before.multiple, after.multiple, everyone);
  if (before.multiple && after.multiple) {
    changed('min', before.minSelected, min, min > before.minSelected ? ({ length }) => length < min : undefined);
    const isLess = max !== null && (before.maxSelected === null || max < before.maxSelected);
    changed('max', before.maxSelected, max, isLess ? ({ length }) => length > max : undefined);
  }
  changed('default', before.defaultValue, after.defaultValue);
  changed(
    'constraint',
    before.constraint,
    constraint,
    // A key that took certain values alone is told about below.
    before.values || after.values || isWider(before.constraint, constraint)
      ? undefined
      : (chosen) => chosen.some((value) => constraintProblem(constraint, value) !== undefined),
  );
  details.push(...valueDetails(before, after, languages));
  details.push(...textDetails(before.texts, after.texts, languages, ''));
  return details;
}

/** A new key in a line. */
export function describeKey({
  type,
  multiple,
  minSelected,
  maxSelected,
  values,
  constraint,
  defaultValue,
}: KeyDefinition): string {
  const parts = [
    multiple ? `${type}, ${describeCounts(minSelected, maxSelected)} values` : type,
    ...(values && type !== 'boolean' ? [`values ${showList(values.map(({ value }) => show(value)))}`] : []),
    ...(Object.keys(constraint).length > 0 ? [show(constraint)] : []),
    ...(defaultValue === null ? [] : [`by default ${show(defaultValue)}`]),
  ];
  return parts.join('; ');
}

function describeCounts(min: number, max: number | null): string {
  if (min > 0) return `${min} to ${max ?? 'any number of'}`;
  return max === null ? 'any number of' : `up to ${max}`;
}

function everyone(): boolean {
  return true;
}

function nameDetail(before: string, after: string): ChangeDetail[] {
  return before === after ? [] : [{ text: `was ${before}` }];
}

/** Whether everything that was allowed still is; patterns and steps cannot be compared, so any new one may refuse something. */
function isWider(before: Key['constraint'], after: Key['constraint']): boolean {
  if (after.pattern !== undefined && after.pattern !== before.pattern) return false;
  // Steps are counted from min.
  if (after.step !== undefined && (after.step !== before.step || after.min !== before.min)) return false;
  if (after.min !== undefined && (before.min === undefined || after.min > before.min)) return false;
  if (after.max !== undefined && (before.max === undefined || after.max < before.max)) return false;
  return (after.maxLength ?? MAX_TEXT) >= (before.maxLength ?? MAX_TEXT);
}

function valueDetails(before: Key, after: KeyDefinition, languages: Language[]): ChangeDetail[] {
  const { keyNo } = before;
  if (before.type !== after.type || before.values === null || after.values === null) {
    return describeNewValues(before, after);
  }
  const details: ChangeDetail[] = [];
  const known = new Map(before.values.map((value) => [value.value, value]));
  for (const value of after.values) {
    const old = known.get(value.value);
    if (old) details.push(...compareValue(old, value, languages));
    else {
      const text = `value added: ${show(value.value)}${value.retired ? ' (retired)' : ''}`;
      details.push({ text, value: value.value });
    }
    known.delete(value.value);
  }
  for (const value of known.keys()) {
    const touches = (chosen: Scalar[]) => chosen.includes(value);
    details.push({ text: `value removed: ${show(value)}`, breaking: { keyNo, touches } });
  }
  const order = after.values.map(({ value }) => value);
  if (
    isReordered(
      before.values.map(({ value }) => value),
      order,
    )
  ) {
    details.push({ text: `order of values: ${showList(order.map(show))}` });
  }
  return details;
}

/** Where the values cannot be compared one by one: they are of another type, or the key opens or closes. */
function describeNewValues(before: Key, after: KeyDefinition): ChangeDetail[] {
  const { keyNo } = before;
  if (after.values === null) {
    if (before.values === null) return [];
    const text = 'takes any value that its constraint allows';
    const isRefused = (value: Scalar) => constraintProblem(after.constraint, value) !== undefined;
    if (before.type !== after.type || !before.values.some(({ value }) => isRefused(value))) return [{ text }];
    return [{ text, breaking: { keyNo, touches: (chosen) => chosen.some(isRefused) } }];
  }
  const allowed = new Set(after.values.map(({ value }) => value));
  const text = `takes only ${showList([...allowed].map(show))}`;
  // With another type everything breaks, and that is said once.
  if (before.type !== after.type) return [{ text }];
  return [{ text, breaking: { keyNo, touches: (chosen) => chosen.some((value) => !allowed.has(value)) } }];
}

function compareValue(before: AllowedValue, after: AllowedValue, languages: Language[]): ChangeDetail[] {
  const { value } = after;
  const name = show(value);
  const texts: string[] = [];
  if (after.retired && !before.retired) {
    // Not breaking: those who have it keep it. It is the gentle way to take a value away.
    texts.push(`value retired: ${name}`);
  } else if (before.retired && !after.retired) {
    texts.push(`value no longer retired: ${name}`);
  }
  if (show(before.replacement) !== show(after.replacement)) {
    texts.push(`replacement of ${name}: ${show(before.replacement)} → ${show(after.replacement)}`);
  }
  const details = [
    ...texts.map((text) => ({ text })),
    ...textDetails(before.texts, after.texts, languages, `${name} in `),
  ];
  return details.map((detail) => ({ ...detail, value }));
}

/** Texts of a language that goes away are not told one by one: the language itself is. */
function textDetails(before: Texts, after: Texts, languages: Language[], prefix: string): ChangeDetail[] {
  return languages
    .filter(({ tag }) => before[tag] !== after[tag])
    .map(({ name, tag }) => ({ text: `${prefix}${name}: ${show(before[tag])} → ${show(after[tag])}` }));
}
