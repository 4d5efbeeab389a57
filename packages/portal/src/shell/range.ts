const SPANS = { quarter: 15, hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
export type Span = keyof typeof SPANS;

/** In a page's URL: a span that ends now, or two UTC times in the service's format. */
export type Range = { span?: Span; from?: string; to?: string };

const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export function readRange({ span, from, to }: Record<string, unknown>): Range {
  const moment = (name: 'from' | 'to', value: unknown) =>
    typeof value === 'string' && MOMENT.test(value) ? { [name]: value } : {};
  if (typeof span === 'string' && span in SPANS) return { span: span as Span };
  return { ...moment('from', from), ...moment('to', to) };
}

/** The query for the service, which refuses two times in the wrong order. */
export function rangeQuery({ span, from, to }: Range): { from?: string; to?: string } {
  if (span !== undefined) return { from: writeMoment(new Date(Date.now() - SPANS[span] * 60_000)) };
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

export function writeMoment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
