import type { Scalar } from './catalog.ts';

/** One line of a difference, in words that a product person understands. */
export type CatalogChange = {
  kind: 'added' | 'changed' | 'renamed' | 'archived' | 'restored';
  subject: 'language' | 'group' | 'key';
  /** `notifications` or `notifications/colour`, or a language's name. */
  path: string;
  /** Of a key that is there already: whose selections it can touch. */
  keyNo?: number;
  details: ChangeDetail[];
};

export type ChangeDetail = {
  text: string;
  /** Selections already saved would not be accepted any more, or can no longer be made. */
  breaking?: Breaking;
  /** It is about one value alone, and touches only those who have that. */
  value?: Scalar;
};

/**
 * Which saved selections a breaking change touches, by the values that each holds. Archiving loses
 * nothing, so it breaks something only for those who have chosen.
 */
export type Breaking = { keyNo: number; touches: (chosen: Scalar[]) => boolean; onlyWhenChosen?: boolean };
