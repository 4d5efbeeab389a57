import type { Scalar } from './catalog.ts';

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

/** The facts behind a detail: describe-fact.ts makes its English sentence from them, and clients those in other languages. */
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
type Breaking = { keyNo: number; touches: (chosen: Scalar[]) => boolean; onlyWhenChosen?: boolean };
