/** What differs from `before`: a form that sends only this does not overwrite what others changed meanwhile. */
export function changedMembers<T extends object>(before: T, after: T): Partial<T> {
  const isChanged = (name: string) =>
    JSON.stringify(after[name as keyof T]) !== JSON.stringify(before[name as keyof T]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => isChanged(name))) as Partial<T>;
}
