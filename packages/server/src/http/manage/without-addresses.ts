import { type Access, includesAccess } from '../../domain/manage/access.ts';

/** Members that say who did something, or whom it was done to. */
const WHO: ReadonlySet<string> = new Set(['actor', 'subject', 'author', 'authors', 'by', 'createdBy', 'updatedBy']);

/** Who looks or translates needs names of those at work, not their addresses (decision 28). */
export function hidesAddresses(held: Access | undefined): boolean {
  return !includesAccess(held, 'write');
}

/** A member of an answer, with `ada@…` for the address of an account. */
export function withoutAddress(name: string, member: unknown): unknown {
  if (!WHO.has(name)) return member;
  return Array.isArray(member) ? member.map(shortened) : shortened(member);
}

function shortened(who: unknown): unknown {
  return typeof who === 'string' ? who.replace(/^([^@\s]+)@[^@\s]+$/, '$1@…') : who;
}
