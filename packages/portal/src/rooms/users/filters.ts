import type { CatalogNames } from '../../api/catalog-names.ts';
import { type Range, rangeQuery, readRange } from '../../shell/range.ts';

export const SORTS = ['newest', 'oldest'] as const;
export type Sort = (typeof SORTS)[number];

/** Which users are listed: part of the page's URL. Conditions name their key by UID. */
export type Filters = Range & {
  search?: string;
  status?: 'active' | 'suspended';
  where?: string[];
  effective?: true;
  /** Default: by id, or by creation in a range; not with conditions. */
  sort?: Sort;
};

/** The service's maximum. */
const MAX_CONDITIONS = 20;

export function readFilters(given: Record<string, unknown>): Filters {
  const { search, status, where, effective, sort } = given;
  const conditions = [where].flat().filter((each): each is string => typeof each === 'string');
  return {
    ...(typeof search === 'string' && search !== '' && { search }),
    ...((status === 'active' || status === 'suspended') && { status }),
    ...(conditions.length > 0 && { where: conditions.slice(0, MAX_CONDITIONS) }),
    ...(effective === true && { effective }),
    ...readRange(given),
    ...(conditions.length === 0 && SORTS.some((each) => each === sort) && { sort: sort as Sort }),
  };
}

/** The query for the service. */
export function filterQuery({ span, from, to, ...others }: Filters) {
  return {
    ...others,
    ...rangeQuery({ ...(span && { span }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
  };
}

export const OPERATORS = ['is', 'isNot', 'saved', 'notSaved'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Condition = { keyUid: string; operator: Operator; value: string };

export function writeCondition({ keyUid, operator, value }: Condition): string {
  if (operator === 'saved') return keyUid;
  if (operator === 'notSaved') return `!${keyUid}`;
  return `${keyUid}${operator === 'is' ? '=' : '!='}${value}`;
}

/** Undefined for a hand-written URL: it is shown as it is. */
export function readCondition(text: string): Condition | undefined {
  const [, not = '', keyUid = '', equals, value = ''] = /^(!?)([0-9a-f-]{36})(?:(!?=)(.*))?$/is.exec(text) ?? [];
  if (keyUid === '' || (not !== '' && equals !== undefined)) return undefined;
  if (equals === undefined) return { keyUid, operator: not ? 'notSaved' : 'saved', value: '' };
  return { keyUid, operator: equals === '=' ? 'is' : 'isNot', value };
}

/** How to show a value from the URL. */
export function labelOf(names: CatalogNames | undefined, { keyUid, value }: Condition): { key: string; value: string } {
  const key = names?.key(keyUid);
  const offered = key?.values.find((each) => String(each.value) === value);
  return { key: key?.label ?? keyUid, value: offered?.label ?? value };
}
