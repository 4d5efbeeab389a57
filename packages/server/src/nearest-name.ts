/** The name most likely meant by a typo; undefined if less than two thirds of what follows the prefix match. */
export function nearestName(typed: string, names: readonly string[], prefix: string): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, edits: editsBetween(typed, name) }))
    .sort((one, other) => one.edits - other.edits);
  return nearest && nearest.edits <= (nearest.name.length - prefix.length) / 3 ? nearest.name : undefined;
}

/** Levenshtein distance: letters to add, remove or replace to turn one text into the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
