import type { AllowedValue, Key, Language, Scalar } from '../catalog/catalog.ts';
import { constraintProblem, typeProblem } from '../catalog/check-value.ts';
import type { Languages } from '../catalog/languages.ts';
import { inCatalogOrder } from '../catalog/read-key.ts';
import type { FieldError } from '../errors.ts';

export type CheckedValue = { value: Scalar | Scalar[] } | { problems: FieldError[] };

/** Values beyond this many are not even looked at: no key has so many. */
const MAX_VALUES = 2_000;

/**
 * The canonical value of what was sent for a key (CONTRACT.md section 3): checked by type without
 * coercion, translated values of `language` turned into the values they stand for, in catalog order
 * and without repeats. A retired value is good only for someone who has it: `held`.
 */
export function checkSelection(
  key: Key,
  sent: readonly unknown[],
  options: { languages: Languages; language: Language | undefined; held: readonly Scalar[] },
): CheckedValue {
  const countProblem = (count: number): FieldError[] => {
    if (!key.multiple) return count === 1 ? [] : [{ field: 'value', message: 'must hold exactly one value' }];
    if (count < key.minSelected) return [{ field: 'value', message: `must hold at least ${key.minSelected} values` }];
    if (key.maxSelected !== null && count > key.maxSelected) {
      return [{ field: 'value', message: `must hold at most ${key.maxSelected} values` }];
    }
    return [];
  };
  if (sent.length > MAX_VALUES)
    return { problems: [{ field: 'value', message: `must hold at most ${MAX_VALUES} values` }] };

  const problems: FieldError[] = [];
  const values: Scalar[] = [];
  sent.forEach((value, index) => {
    const checked = checkOne(key, value, options);
    if ('value' in checked) values.push(checked.value);
    else problems.push({ field: `value[${index}]`, ...checked });
  });
  if (problems.length === 0) {
    const distinct = key.multiple ? inCatalogOrder(key, values) : values;
    problems.push(...countProblem(distinct.length));
    if (problems.length === 0) return { value: key.multiple ? distinct : (distinct[0] as Scalar) };
  }
  return { problems };
}

function checkOne(
  key: Key,
  sent: unknown,
  { languages, language, held }: { languages: Languages; language: Language | undefined; held: readonly Scalar[] },
): { value: Scalar } | { message: string; allowed?: unknown } {
  if (!key.values) {
    const problem = typeProblem(key.type, sent) ?? constraintProblem(key.constraint, sent as Scalar);
    if (problem) return { message: problem, allowed: describeOpen(key) };
    return { value: sent === 0 ? 0 : (sent as Scalar) };
  }
  const found = key.values.find(({ value }) => value === sent) ?? findTranslated(key, sent, languages, language);
  const allowed = key.values.filter(({ retired, value }) => !retired || held.includes(value)).map(({ value }) => value);
  if (!found) return { message: typeProblem(key.type, sent) ?? 'is not among the allowed values', allowed };
  if (found.retired && !held.includes(found.value)) {
    const instead = found.replacement === undefined ? '' : `; choose ${JSON.stringify(found.replacement)} instead`;
    return { message: `is retired${instead}`, allowed };
  }
  return { value: found.value };
}

/** With a language, what a form in that language shows may be sent. */
function findTranslated(
  key: Key,
  sent: unknown,
  languages: Languages,
  language: Language | undefined,
): AllowedValue | undefined {
  if (!language || key.type !== 'string' || typeof sent !== 'string') return undefined;
  return key.values?.find(({ value, texts }) => languages.textFor(texts, language, String(value)).text === sent);
}

function describeOpen(key: Key): Record<string, unknown> {
  const { maxLength, ...constraint } = key.constraint;
  return { type: key.type, ...constraint, ...(maxLength !== undefined && { max_length: maxLength }) };
}
