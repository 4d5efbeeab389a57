import type { ChangeFact, FactKind } from './change.ts';
import type { FileKey } from './file-schema.ts';
import { show } from './show-value.ts';

/** A detail as a sentence. */
export function describeFact(fact: ChangeFact): string {
  return SENTENCES[fact.what](fact);
}

const SENTENCES: Record<FactKind, (fact: ChangeFact) => string> = {
  tag: ({ to }) => `tag ${to}`,
  tagOfDefault: ({ to }) => `tag ${to}, the default`,
  becomesDefault: () => 'becomes the default',
  notServed: () => 'its texts are no longer served',
  name: ({ from }) => `was ${from}`,
  order: (fact) => `order: ${list(fact, String)}`,
  orderOfKeys: (fact) => `order of keys: ${list(fact, String)}`,
  orderOfValues: (fact) => `order of values: ${list(fact, show)}`,
  key: describeKey,
  notOffered: () => 'can no longer be chosen',
  type: changed,
  multiple: changed,
  min: changed,
  max: changed,
  default: changed,
  constraint: changed,
  takesAny: () => 'takes any value that its constraint allows',
  takesOnly: (fact) => `takes only ${list(fact, show)}`,
  valueAdded: ({ value }) => `value added: ${show(value)}`,
  valueAddedRetired: ({ value }) => `value added: ${show(value)} (retired)`,
  valueRemoved: ({ value }) => `value removed: ${show(value)}`,
  valueRetired: ({ value }) => `value retired: ${show(value)}`,
  valueBack: ({ value }) => `value no longer retired: ${show(value)}`,
  replacement: ({ value, from, to }) => `replacement of ${show(value)}: ${show(from)} → ${show(to)}`,
  moreChanges: ({ more }) => `and ${more} more changes`,
  text: ({ value, language, from, to }) =>
    `${value === undefined ? '' : `${show(value)} in `}${language}: ${show(from)} → ${show(to)}`,
  description: ({ language, from, to }) => `description in ${language}: ${show(from)} → ${show(to)}`,
  group: ({ from }) => `moved from ${from}`,
};

function changed({ what, from, to }: ChangeFact): string {
  return `${what}: ${show(from)} → ${show(to)}`;
}

function list({ to, more = 0 }: Pick<ChangeFact, 'to' | 'more'>, say: (item: unknown) => string): string {
  return (to as unknown[]).map(say).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** A new key in one line. */
function describeKey({ to, more }: ChangeFact): string {
  const { type, multiple, min = 0, max, values, constraint, default: byDefault } = to as FileKey;
  const parts = [
    multiple ? `${type}, ${describeCounts(min, max)} values` : type,
    ...(values ? [`values ${list({ to: values, ...(more !== undefined && { more }) }, show)}`] : []),
    ...(constraint ? [show(constraint)] : []),
    ...(byDefault === undefined ? [] : [`by default ${show(byDefault)}`]),
  ];
  return parts.join('; ');
}

function describeCounts(min: number, max: number | undefined): string {
  if (min > 0) return `${min} to ${max ?? 'any number of'}`;
  return max === undefined ? 'any number of' : `up to ${max}`;
}
