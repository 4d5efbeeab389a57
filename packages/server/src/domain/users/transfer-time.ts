/** UTC, as everywhere, with the milliseconds that a copy must not lose. */
export function writeTransferTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 23).replace('T', ' ');
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d{0,6})?Z?$/;

/** `YYYY-MM-DD HH:MM:SS`, with or without a fraction, or ISO 8601 in UTC. */
export function readTransferTime(text: string): number | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = Date.UTC(year, month - 1, day, hour, minute, second, Number((parts[7] ?? '').padEnd(3, '0')));
  // February 31 would become a day in March.
  const date = new Date(time);
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return same && time >= 0 ? time : undefined;
}
