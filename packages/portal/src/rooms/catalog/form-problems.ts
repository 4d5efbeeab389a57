import { CONSTRAINTS, type ConstraintName, type KeyForm, type ValueRow } from './key-form.ts';

/** Checks that the service would make, shown at the field before sending. */

export type NameProblem = 'blank' | 'taken' | undefined;
export type RowProblem = 'blank' | 'repeated';
export type LimitProblem = 'notNumber' | 'notWhole' | 'crossed';

/** Like the service: only spaces and invisible characters. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

type Named = { name: string; archived: boolean };

/** `siblings` without the item itself. */
export function nameProblem(name: string, siblings: readonly Named[]): NameProblem {
  if (isBlank(name)) return 'blank';
  return siblings.some((each) => !each.archived && each.name === name.trim()) ? 'taken' : undefined;
}

/** By row id. */
export function rowProblems({ type, listed, values }: KeyForm): ReadonlyMap<ValueRow['id'], RowProblem> {
  const problems = new Map<string, RowProblem>();
  if (!listed || type === 'boolean') return problems;
  const seen = new Set<string>();
  for (const { id, value } of values) {
    if (isBlank(value)) problems.set(id, 'blank');
    else if (seen.has(value)) problems.set(id, 'repeated');
    seen.add(value);
  }
  return problems;
}

type Limits = Pick<KeyForm, 'type' | 'constraint'>;

/** By name of the limit; if two limits exclude each other, both are invalid. */
export function limitProblems({ type, constraint }: Limits): ReadonlyMap<ConstraintName, LimitProblem> {
  const problems = new Map<ConstraintName, LimitProblem>();
  const typed = CONSTRAINTS[type].filter((name) => name !== 'pattern' && !isBlank(constraint[name]));
  if (type !== 'date') {
    for (const name of typed) {
      const number = Number(constraint[name]);
      if (!Number.isFinite(number)) problems.set(name, type === 'number' ? 'notNumber' : 'notWhole');
      else if (type !== 'number' && !Number.isSafeInteger(number)) problems.set(name, 'notWhole');
    }
  }
  if (problems.size > 0 || !typed.includes('min') || !typed.includes('max')) return problems;
  const { min, max } = constraint;
  // Dates sort as text.
  const isCrossed = type === 'date' ? min > max : Number(min) > Number(max);
  return isCrossed ? new Map([['min', 'crossed'] as const, ['max', 'crossed'] as const]) : problems;
}

/** Whether the minimum exceeds the maximum. */
export function areCountsCrossed({ multiple, min, max }: Pick<KeyForm, 'multiple' | 'min' | 'max'>): boolean {
  return multiple && min !== '' && max !== '' && Number(min) > Number(max);
}
