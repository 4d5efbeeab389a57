export const UNITS = { minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** The largest unit of which this is a whole number; minutes otherwise. */
export function largestUnit(seconds: number): Unit {
  if (seconds >= UNITS.days && seconds % UNITS.days === 0) return 'days';
  return seconds >= UNITS.hours && seconds % UNITS.hours === 0 ? 'hours' : 'minutes';
}

/** `2 days`, in the reader's language. */
export function spellDuration(seconds: number, language: string): string {
  const unit = largestUnit(seconds);
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'long' });
  return format.format(seconds / UNITS[unit]);
}
