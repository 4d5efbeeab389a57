import type { CatalogNames } from '../../api/catalog-names.ts';
import { type Range, rangeQuery, readRange } from '../../shell/range.ts';

export const SORTS = ['newest', 'oldest'] as const;
export type Sort = (typeof SORTS)[number];

/** Which users are listed: part of the address of the page. Conditions name their key by its UID. */
export type Filters = Range & {
  search?: string;
  status?: 'active' | 'suspended';
  where?: string[];
  effective?: true;
  /** By id, or by creation in a range, without it; not with conditions. */
  sort?: Sort;
};

/** As the service takes at most. */
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

/** What the service is asked. */
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

/** Undefined where somebody wrote the address by hand: it is shown as it is. */
export function readCondition(text: string): Condition | undefined {
  const [, not = '', keyUid = '', equals, value = ''] = /^(!?)([0-9a-f-]{36})(?:(!?=)(.*))?$/is.exec(text) ?? [];
  if (keyUid === '' || (not !== '' && equals !== undefined)) return undefined;
  if (equals === undefined) return { keyUid, operator: not ? 'notSaved' : 'saved', value: '' };
  return { keyUid, operator: equals === '=' ? 'is' : 'isNot', value };
}

/** How a value of the address is shown. */
export function labelOf(names: CatalogNames | undefined, { keyUid, value }: Condition): { key: string; value: string } {
  const key = names?.key(keyUid);
  const offered = key?.values.find((each) => String(each.value) === value);
  return { key: key?.label ?? keyUid, value: offered?.label ?? value };
}
