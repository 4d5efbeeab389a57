import { type Access, includesAccess } from '../../domain/manage/access.ts';

/** Members that say who did something, or whom it was done to. */
const WHO: ReadonlySet<string> = new Set(['actor', 'subject', 'author', 'createdBy', 'updatedBy']);

/** Who looks or translates needs names of those at work, not their addresses (decision 28). */
export function hidesAddresses(held: Access | undefined): boolean {
  return !includesAccess(held, 'write');
}

/** A member of an answer, with `ada@…` for the address of an account. */
export function withoutAddress(name: string, member: unknown): unknown {
  return WHO.has(name) && typeof member === 'string' ? member.replace(/^([^@\s]+)@[^@\s]+$/, '$1@…') : member;
}
