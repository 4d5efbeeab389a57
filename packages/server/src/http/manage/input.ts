import { readOverlap } from '../../domain/applications/rotate-secret.ts';
import type { FieldError } from '../../domain/errors.ts';
import { badParameter, type Query, readParameter } from '../paging.ts';

const LONGEST = 1024;

/** The members of a body: only these, so that a misspelt one is noticed. */
export function checkMembers(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const problems: FieldError[] = Object.keys(body)
    .filter((name) => !names.includes(name))
    .map((field) => ({ field, message: 'is unknown', allowed: [...names] }));
  if (problems.length > 0) throw badParameter(problems);
  return body;
}

export function refuse(field: string, message: string): Error {
  return badParameter([{ field, message }]);
}

export function readFlag(query: Query, name: string): boolean {
  const text = readParameter(query, name);
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw badParameter([{ field: name, message: 'must be true or false', allowed: [true, false] }]);
}

/** A text that somebody typed; undefined without a word about it. */
export function readOptionalText(value: unknown, field: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw refuse(field, 'must be a string');
  if (value.length > LONGEST || value.includes('\u0000') || !value.isWellFormed()) {
    throw refuse(field, 'is too long or contains invalid characters');
  }
  return value;
}

export function readText(value: unknown, field: string): string {
  const text = readOptionalText(value, field);
  if (text === undefined) throw refuse(field, 'is missing');
  return text;
}

/** A whole number from 0 that has to be there. */
export function readNumber(text: string | undefined, field: string): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw refuse(field, 'must be a whole number, 0 or more');
  return Number(text);
}

/** Where something is to stand among its siblings, from 0; undefined without a word about it. */
export function readPosition(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw refuse('position', 'must be a whole number, 0 or more');
  }
  return value as number;
}

/** `archived: false` brings something back. */
export function readUnarchive(value: unknown): boolean {
  if (value === undefined) return false;
  if (value === false) return true;
  throw refuse('archived', 'can only be set to false, to restore it; DELETE archives');
}

export function readList<T>(value: unknown, field: string, max: number): T[] {
  if (!Array.isArray(value)) throw refuse(field, 'must be a list');
  if (value.length > max) throw refuse(field, `must contain at most ${max}`);
  return value as T[];
}

/** Only objects, so that callers can read their members. */
export function readObjects(value: unknown, field: string, max: number): Record<string, unknown>[] {
  const items = readList<unknown>(value, field, max);
  const problems = items.flatMap((item, index) =>
    item === null || typeof item !== 'object' || Array.isArray(item)
      ? [{ field: `${field}[${index}]`, message: 'must be an object' }]
      : [],
  );
  if (problems.length > 0) throw badParameter(problems);
  return items as Record<string, unknown>[];
}

/** How long the previous secret stays valid. */
export function readOverlapMember(value: unknown): number {
  const read = readOverlap(value);
  if ('problem' in read) throw refuse('overlap', read.problem);
  return read.seconds;
}
