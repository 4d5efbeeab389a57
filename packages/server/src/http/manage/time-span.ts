import { Type } from '../../schema.ts';
import { type Query, readParameter } from '../paging.ts';
import { refuse } from './input.ts';

const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?)?$/;

export const SpanQuery = {
  from: Type.Optional(Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS, or the day alone' })),
  to: Type.Optional(Type.String({ description: 'UTC, not included' })),
};

/** In UTC; a day alone is its beginning. */
export function readTime(query: Query, name: string): number | undefined {
  const text = readParameter(query, name);
  return text === undefined ? undefined : readTimeText(text, name);
}

export function readTimeText(text: string, name: string): number {
  const [, day, time = '00:00'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  // Of the 31st of February, Date makes another day.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) {
    throw refuse(name, 'must be a time, YYYY-MM-DD HH:MM:SS in UTC');
  }
  return at;
}

/** Both where they are given, in their order. */
export function readSpan(query: Query): { from?: number; to?: number } {
  const from = readTime(query, 'from');
  const to = readTime(query, 'to');
  if (from !== undefined && to !== undefined && from >= to) throw refuse('to', 'must be later than from');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
