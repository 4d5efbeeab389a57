/** How a response differs from what a page shows: it may have more fields, and `…` stands for any text. */
export function differenceFrom(shown: unknown, received: unknown, at = 'the response'): string | undefined {
  if (typeof shown === 'string' && shown.includes('…')) {
    const pattern = shown.split('…').map(RegExp.escape).join('.+');
    return typeof received === 'string' && new RegExp(`^${pattern}$`, 's').test(received) ? undefined : mismatch();
  }
  if (shown === null || typeof shown !== 'object') return shown === received ? undefined : mismatch();
  if (received === null || typeof received !== 'object') return mismatch();
  for (const [name, value] of Object.entries(shown)) {
    const difference = differenceFrom(value, (received as Record<string, unknown>)[name], `${at}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;

  function mismatch(): string {
    return `${at} is ${JSON.stringify(received)}, the page shows ${JSON.stringify(shown)}`;
  }
}
