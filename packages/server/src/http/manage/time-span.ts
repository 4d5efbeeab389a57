import { Type } from '../../schema.ts';
import { refuse } from './input.ts';

const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?)?$/;

export const SpanQuery = {
  from: Type.Optional(Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS, or the day alone' })),
  to: Type.Optional(Type.String({ description: 'UTC, not included' })),
};

/** In UTC; a day alone is its beginning. */
export function readTime(text: string, name: string): number {
  const [, day, time = '00:00'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  // Of the 31st of February, Date makes another day.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) {
    throw refuse(name, 'must be a time, YYYY-MM-DD HH:MM:SS in UTC');
  }
  return at;
}

/** Both where they are given, in their order. */
export function readSpan(query: { from?: string; to?: string }): { from?: number; to?: number } {
  const from = query.from === undefined ? undefined : readTime(query.from, 'from');
  const to = query.to === undefined ? undefined : readTime(query.to, 'to');
  if (from !== undefined && to !== undefined && from >= to) throw refuse('to', 'must be later than from');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
