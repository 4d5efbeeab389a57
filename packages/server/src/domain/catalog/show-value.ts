/** A value as shown in a difference. Equal exactly if the values are. */
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
