import { type Access, includesAccess } from '../../domain/manage/access.ts';

/** Members that name who did something, or to whom. */
const WHO: ReadonlySet<string> = new Set(['actor', 'subject', 'author', 'authors', 'by', 'createdBy', 'updatedBy']);

/** Viewers and translators see the names of other members, but not their addresses (decision 28). */
export function hidesAddresses(held: Access | undefined): boolean {
  return !includesAccess(held, 'write');
}

/** A member of a response, with `ada@…` in place of an account's address. */
export function withoutAddress(name: string, member: unknown): unknown {
  if (!WHO.has(name)) return member;
  return Array.isArray(member) ? member.map(shortened) : shortened(member);
}

function shortened(who: unknown): unknown {
  return typeof who === 'string' ? who.replace(/^([^@\s]+)@[^@\s]+$/, '$1@…') : who;
}
