import { type Access, includesAccess } from '../../domain/manage/access.ts';

/** Members that say who did something, or whom it was done to. */
const WHO: ReadonlySet<string> = new Set(['actor', 'subject', 'author', 'createdBy', 'updatedBy']);

/** Who looks or translates needs names of those at work, not their addresses (decision 28). */
export function hidesAddresses(held: Access | undefined): boolean {
  return !includesAccess(held, 'write');
}

/** The same, with `ada@…` for addresses of accounts. */
export function withoutAddresses<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutAddresses) as T;
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      WHO.has(name) && typeof member === 'string' ? shortened(member) : withoutAddresses(member),
    ]),
  ) as T;
}

function shortened(who: string): string {
  return who.replace(/^([^@\s]+)@[^@\s]+$/, '$1@…');
}
