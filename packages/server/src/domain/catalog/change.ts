import type { Scalar } from './catalog.ts';

/** One line of a difference, in words that a product person understands. */
export type CatalogChange = {
  /** Groups and keys are archived; a language is removed, with its texts. */
  kind: 'added' | 'changed' | 'renamed' | 'archived' | 'removed' | 'restored';
  subject: 'language' | 'group' | 'key';
  /** `notifications` or `notifications/colour`, or a language's name. */
  path: string;
  /** Of a key that is there already: whose selections it can touch. */
  keyNo?: number;
  details: ChangeDetail[];
};

export type ChangeDetail = {
  fact: ChangeFact;
  /** Selections already saved would not be accepted any more, or can no longer be made. */
  breaking?: Breaking;
};

/** What a detail is about: its sentence is made of this (say-fact.ts), and so is what other languages say. */
export type ChangeFact = {
  what: FactKind;
  /** It is about this value alone, and touches only those who have it. */
  value?: Scalar;
  /** Of a text or description: the name of its language. */
  language?: string;
  /** null where there is none; a key or a constraint as in the catalog file. */
  from?: unknown;
  to?: unknown;
  /** How many more than `to` lists. */
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
 * Which saved selections a breaking change touches, by the values that each holds. Archiving loses
 * nothing, so it breaks something only for those who have chosen.
 */
type Breaking = { keyNo: number; touches: (chosen: Scalar[]) => boolean; onlyWhenChosen?: boolean };
