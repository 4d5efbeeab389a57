/** A value as a difference shows it. Equal exactly when the values are. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'object' && !Array.isArray(value)) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    if (entries.length === 0) return 'none';
    return entries
      .map(([key, entry]) => `${key} ${show(entry)}`)
      .sort()
      .join(', ');
  }
  return JSON.stringify(value);
}

const LISTED = 20;

/** The first few of many. */
export function showList(items: readonly string[]): string {
  const more = items.length - LISTED;
  return items.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
