const SPANS = { quarter: 15, hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
export type Span = keyof typeof SPANS;

/** In the address of a page: a span that ends now, or two moments of UTC as the service writes them. */
export type Range = { span?: Span; from?: string; to?: string };

const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export function readRange({ span, from, to }: Record<string, unknown>): Range {
  const moment = (name: 'from' | 'to', value: unknown) =>
    typeof value === 'string' && MOMENT.test(value) ? { [name]: value } : {};
  if (typeof span === 'string' && span in SPANS) return { span: span as Span };
  return { ...moment('from', from), ...moment('to', to) };
}

/** What the service is asked. Two moments in the wrong order ask for nothing that could be found, and are shown as they are. */
export function rangeQuery({ span, from, to }: Range): { from?: string; to?: string } {
  if (span !== undefined) return { from: writeMoment(new Date(Date.now() - SPANS[span] * 60_000)) };
  return { ...(from !== undefined && { from }), ...(to !== undefined && (from === undefined || from < to) && { to }) };
}

export function writeMoment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
