import type { KeyForm, ValueRow } from './key-form.ts';

/** What the service would refuse, said at the field before it is sent. */

export type NameProblem = 'blank' | 'taken' | undefined;
export type RowProblem = 'blank' | 'repeated';

/** As the service sees it: spaces, and what is written without a mark. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

type Named = { name: string; archived: boolean };

/** `siblings` without the one that is named. */
export function nameProblem(name: string, siblings: readonly Named[]): NameProblem {
  if (isBlank(name)) return 'blank';
  return siblings.some((each) => !each.archived && each.name === name.trim()) ? 'taken' : undefined;
}

/** By the row's id. */
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

/** What the service said of a field; of one of several values by its place. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  const errors = (error as { errors?: { field: string; message: string }[] } | undefined)?.errors;
  return errors?.find((each) => each.field === field || each.field === `${field}.value`)?.message;
}
