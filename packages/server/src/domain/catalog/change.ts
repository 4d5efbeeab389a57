import type { Steps } from '../slices.ts';
import type { Scalar } from './catalog.ts';
import type { FileKey } from './file-schema.ts';

/** One line of a difference, worded for product people. */
export type CatalogChange = {
  /** Groups and keys are archived; a language is removed, with its texts. */
  kind: 'added' | 'changed' | 'renamed' | 'archived' | 'removed' | 'restored';
  subject: 'language' | 'group' | 'key';
  /** `notifications` or `notifications/colour`, or a language's name. */
  path: string;
  /** For an existing key, whose selections the change may affect. */
  keyNo?: number;
  details: ChangeDetail[];
};

export type ChangeDetail = {
  fact: ChangeFact;
  /** Saved selections would no longer be accepted, or can no longer be made. */
  breaking?: Breaking;
};

/** The facts behind a detail: describeFact() makes its English sentence from them, and clients those in other languages. */
export type ChangeFact = {
  what: FactKind;
  /** Concerns only this value, and affects only users who have it. */
  value?: Scalar;
  /** The name of the language of a text or description. */
  language?: string;
  /** null if there is none; a key or a constraint as in the catalog file. */
  from?: unknown;
  to?: unknown;
  /** How many more there are than `to` lists. */
  more?: number;
};

export const FACT_KINDS = [
  'tag',
  'tagOfDefault',
  'becomesDefault',
  'notServed',
  'name',
  'order',
  'orderOfKeys',
  'orderOfValues',
  'key',
  'notOffered',
  'type',
  'multiple',
  'min',
  'max',
  'default',
  'constraint',
  'takesAny',
  'takesOnly',
  'valueAdded',
  'valueAddedRetired',
  'valueRemoved',
  'valueRetired',
  'valueBack',
  'replacement',
  'text',
  'description',
  'group',
  'moreChanges',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/**
 * Which saved selections a breaking change affects, by the values of each. Archiving loses nothing, so it only breaks
 * something if users have chosen.
 */
type Breaking = { keyNo: number; affects: Affects; onlyWhenChosen?: boolean };
/** Steps where texts are matched with a pattern. */
export type Affects = (chosen: Scalar[]) => boolean | Steps<boolean>;

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
  takesAny: () => 'allows any value within its constraint',
  takesOnly: (fact) => `allows only ${list(fact, show)}`,
  valueAdded: ({ value }) => `value added: ${show(value)}`,
  valueAddedRetired: ({ value }) => `value added: ${show(value)} (retired)`,
  valueRemoved: ({ value }) => `value removed: ${show(value)}`,
  valueRetired: ({ value }) => `value retired: ${show(value)}`,
  valueBack: ({ value }) => `value no longer retired: ${show(value)}`,
  replacement: ({ value, from, to }) => `replacement of ${show(value)}: ${show(from)} → ${show(to)}`,
  moreChanges: ({ more }) => `and ${more} more ${more === 1 ? 'change' : 'changes'}`,
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
    ...(byDefault === undefined ? [] : [`default ${show(byDefault)}`]),
  ];
  return parts.join('; ');
}

function describeCounts(min: number, max: number | undefined): string {
  if (min > 0) return max === undefined ? `${min} or more` : `${min} to ${max}`;
  return max === undefined ? 'any number of' : `up to ${max}`;
}

/** A value as shown in a difference. Equal exactly if the values are. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'object' && !Array.isArray(value)) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    if (entries.length === 0) return 'none';
    return entries
      .map(([key, entry]) => `${key} ${show(entry)}`)
      .sort()
      .join(', ');
  }
  return JSON.stringify(value);
}
