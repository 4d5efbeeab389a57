import { mapSteps, type Steps } from '../slices.ts';
import type { AllowedValue, Catalog, Group, Key, Language, Scalar, Texts } from './catalog.ts';
import { MAX_TEXT } from './check-value.ts';

/**
 * A TypeScript module of what can be chosen: `Catalog`, the single type parameter of the client and the React package
 * (packages/client/README.md), `values` and, if requested, `schemas`. The same catalog always gives the same bytes;
 * archived parts are omitted.
 */
export function* writeTypes(catalog: Catalog, withSchemas = false): Steps<string> {
  const { languages } = catalog;
  const groups = catalog.groups.flatMap((group) =>
    group.archived ? [] : [{ ...group, keys: group.keys.filter((key) => !key.archived) }],
  );
  const written: string[] = [];
  for (const group of groups) written.push(yield* writeGroup(group, languages));
  const values = yield* writeValues(groups, languages);
  const schemas = withSchemas ? yield* writeSchemas(groups) : '';
  const words = [...new Set(languages.flatMap(({ name, tag }) => [name, tag]))];
  return `// Written by \`innkeeper catalog types\`: run it again when the catalog changes.

export interface Catalog {
  /** Names and tags that \`language\` accepts. */
  languages: ${union(words)};
  groups: {
${written.join('')}  };
}

/** Every allowed value by its key. */
export const values = {
${values}} as const;
${schemas}`;
}

function* writeGroup({ name, texts, keys }: Group, languages: Language[]): Steps<string> {
  const lines = yield* mapSteps(
    keys,
    (key) => `${comment(6, textOf(key.texts, languages))}      ${property(key.name)}: ${writeKey(key)};\n`,
  );
  return `${comment(4, textOf(texts, languages))}    ${property(name)}: {\n${lines.join('')}    };\n`;
}

function writeKey({ type, multiple, values }: Key): string {
  const chosen = (retired: boolean): string => {
    const list = values?.filter((each) => each.retired === retired).map(({ value }) => value) ?? [];
    return type === 'boolean' && list.length === 2 ? 'boolean' : union(list);
  };
  const value = values === null ? OPEN[type] : chosen(false);
  return `{ type: '${type}'; multiple: ${multiple}; value: ${value}; retired: ${chosen(true)} }`;
}

const OPEN = { boolean: 'boolean', string: 'string', integer: 'number', number: 'number', date: 'string' };

function* writeValues(groups: Group[], languages: Language[]): Steps<string> {
  const written = new Set<string>();
  let text = '';
  for (const group of groups) {
    for (const key of group.keys) {
      yield;
      const name = `${group.name}.${key.name}`;
      // Names with dots can collide: the first one wins.
      const isNew = !written.has(name);
      written.add(name);
      if (!isNew || key.values === null || key.type === 'boolean') continue;
      const lines = key.values.map((each) => writeValue(each, languages));
      text += `  ${property(name)}: {\n${lines.join('')}  },\n`;
    }
  }
  return text;
}

function writeValue({ value, texts, retired, replacement }: AllowedValue, languages: Language[]): string {
  const instead = replacement === undefined ? '' : `; choose ${JSON.stringify(replacement)} instead`;
  const said = retired ? comment(4, `retired${instead}`, '@deprecated ') : comment(4, textOf(texts, languages));
  return `${said}    ${property(String(value))}: ${literal(value)},\n`;
}

function textOf(texts: Texts, languages: Language[]): string | undefined {
  return texts[languages.find(({ isDefault }) => isDefault)?.tag ?? ''];
}

function comment(indent: number, text: string | undefined, mark = ''): string {
  const safe = text
    ?.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll('*/', '*\\/')
    .trim()
    // A leading @ would be a tag for the compiler, such as @deprecated.
    .replace(/^@/, '\\@');
  return safe ? `${' '.repeat(indent)}/** ${mark}${safe} */\n` : '';
}

function union(values: readonly Scalar[]): string {
  return values.length === 0 ? 'never' : values.map(literal).join(' | ');
}

/** The runtime of the validators: a module generated from a catalog has no dependencies. */
const RUNTIME = `
type Rules = {
  type: 'boolean' | 'string' | 'integer' | 'number' | 'date';
  /** Takes a list of at least and at most so many. */
  count?: readonly [number, number];
  values?: readonly unknown[];
  min?: number | string;
  max?: number | string;
  step?: number;
  pattern?: string;
  maxLength?: number;
};

type Issue = { message: string; path?: number[] };

/** A Standard Schema (https://standardschema.dev), version 1. */
export type OptionSchema<T> = {
  '~standard': {
    version: 1;
    vendor: 'innkeeper';
    types?: { input: T; output: T };
    validate(value: unknown): { value: T; issues?: undefined } | { issues: Issue[] };
  };
};

function problemOf({ type, values, min, max, step, pattern, maxLength = ${MAX_TEXT} }: Rules, value: unknown): string | undefined {
  if (values) return values.includes(value) ? undefined : 'must be one of the allowed values';
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'integer' || type === 'number') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
    if (type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number';
  } else if (typeof value !== 'string') return 'must be a string';
  else if (type === 'date' && !isDate(value)) return 'must be a date as YYYY-MM-DD';
  if (min !== undefined && (value as number) < (min as number)) return \`must be at least \${min}\`;
  if (max !== undefined && (value as number) > (max as number)) return \`must be at most \${max}\`;
  if (typeof value === 'number' && step !== undefined) {
    const steps = (value - Number(min ?? 0)) / step;
    if (Math.abs(steps - Math.round(steps)) > 1e-9) return \`must be in steps of \${step}\`;
  }
  if (typeof value === 'string') {
    if ([...value].length > maxLength) return \`must be at most \${maxLength} characters\`;
    if (pattern !== undefined && !matches(pattern, value)) return \`must match \${pattern}\`;
  }
  return undefined;
}

function isDate(text: string): boolean {
  const date = new Date(\`\${text}T00:00:00Z\`);
  return /^\\d{4}-\\d{2}-\\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The service's patterns are RE2: one that this engine does not know is left to the service. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(\`^(?:\${pattern})$\`, 'u').test(text);
  } catch {
    return true;
  }
}

function schema<T>(rules: Rules): OptionSchema<T> {
  const issuesOf = (value: unknown): Issue[] => {
    const { count } = rules;
    if (!count) {
      const message = problemOf(rules, value);
      return message === undefined ? [] : [{ message }];
    }
    if (!Array.isArray(value)) return [{ message: 'must be a list' }];
    if (value.length < count[0]) return [{ message: \`must have at least \${count[0]}\` }];
    if (value.length > count[1]) return [{ message: \`must have at most \${count[1]}\` }];
    return value.flatMap((each: unknown, index) => {
      const message = value.indexOf(each) < index ? 'is a duplicate' : problemOf(rules, each);
      return message === undefined ? [] : [{ message, path: [index] }];
    });
  };
  const validate = (value: unknown) => {
    const issues = issuesOf(value);
    return issues.length > 0 ? { issues } : { value: value as T };
  };
  return { '~standard': { version: 1, vendor: 'innkeeper', validate } };
}
`;

/** A validator for each key that has a unique name, for forms and routes; the service checks again on save. */
function* writeSchemas(groups: readonly Group[]): Steps<string> {
  const named = new Map<string, { group: string; key: Key }>();
  for (const group of groups) {
    for (const key of group.keys) {
      const name = `${group.name}.${key.name}`;
      // Names with dots can collide: the first one wins.
      if (!named.has(name)) named.set(name, { group: group.name, key });
    }
  }
  const lines = yield* mapSteps([...named], ([name, { group, key }]) => {
    const of = `Catalog['groups'][${quote(group)}][${quote(key.name)}]['value']`;
    const type = key.multiple ? `readonly (${of})[]` : of;
    return `  ${property(name)}: schema<${type}>(${rulesOf(key)}),\n`;
  });
  return `${RUNTIME}
/** A validator for each key. The service checks again when it saves. */
export const schemas = {
${lines.join('')}};
`;
}

function rulesOf({ type, multiple, minSelected, maxSelected, values, constraint }: Key): string {
  const { min, max, step, pattern, maxLength } = constraint;
  const live = values?.filter(({ retired }) => !retired).map(({ value }) => literal(value));
  const rules = {
    type: quote(type),
    count: multiple ? `[${minSelected}, ${maxSelected ?? 'Infinity'}]` : undefined,
    values: live && `[${live.join(', ')}]`,
    min: min === undefined ? undefined : literal(min),
    max: max === undefined ? undefined : literal(max),
    step: step === undefined ? undefined : String(step),
    pattern: pattern === undefined ? undefined : quote(pattern),
    maxLength: maxLength === undefined ? undefined : String(maxLength),
  };
  const written = Object.entries(rules).flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${text}`]));
  return `{ ${written.join(', ')} }`;
}

function literal(value: Scalar): string {
  return typeof value === 'string' ? quote(value) : String(value);
}

function property(name: string): string {
  // As a plain member of an object literal, it would set the prototype.
  if (name === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Direction marks that make code read differently from how it is compiled: they are written as escapes. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g;

function quote(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll(/[\u2028\u2029]/g, escapeMark)
    .replaceAll(DIRECTION_MARKS, escapeMark);
  return `'${inner}'`;
}

function escapeMark(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
