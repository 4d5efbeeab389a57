/** How a response differs from what a page shows: it may have more fields, and `…` stands for any text. */
export function differenceFrom(shown: unknown, answered: unknown, at = 'the answer'): string | undefined {
  if (typeof shown === 'string' && shown.includes('…')) {
    const pattern = shown.split('…').map(RegExp.escape).join('.+');
    return typeof answered === 'string' && new RegExp(`^${pattern}$`, 's').test(answered) ? undefined : mismatch();
  }
  if (shown === null || typeof shown !== 'object') return shown === answered ? undefined : mismatch();
  if (answered === null || typeof answered !== 'object') return mismatch();
  for (const [name, value] of Object.entries(shown)) {
    const difference = differenceFrom(value, (answered as Record<string, unknown>)[name], `${at}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;

  function mismatch(): string {
    return `${at} is ${JSON.stringify(answered)}, the page shows ${JSON.stringify(shown)}`;
  }
}
