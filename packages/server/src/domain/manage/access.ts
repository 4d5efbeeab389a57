/**
 * What a role or a token may do in an application. `read` shows the catalog, the settings and counts, but no personal
 * data; `texts` and `users` each add one thing to it, and neither includes the other (decision 45).
 */
export const ACCESS = ['read', 'texts', 'users', 'write', 'own'] as const;
export type Access = (typeof ACCESS)[number];

const INCLUDED: Record<Access, readonly Access[]> = {
  read: ['read'],
  texts: ['read', 'texts'],
  users: ['read', 'users'],
  write: ['read', 'texts', 'users', 'write'],
  own: ACCESS,
};

export function includesAccess(held: Access | undefined, needed: Access): boolean {
  return held !== undefined && INCLUDED[held].includes(needed);
}

/** The most access that both allow. */
export function minAccess(one: Access, other: Access): Access {
  return INCLUDED[one].findLast((access) => includesAccess(other, access)) as Access;
}
