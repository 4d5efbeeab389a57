/** Joins those whose value is given. Each `?` becomes the number of its parameter; without one, the value only says that it is given. */
export function conditions(given: readonly (readonly [condition: string, value: unknown])[]): {
  where: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const used = given.flatMap(([condition, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (condition.includes('?')) values.push(value);
    return [condition.replaceAll('?', `$${values.length}`)];
  });
  return { where: used.join(' and '), values };
}
