import type { Person, Role } from '../../storage/port.ts';

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

const ACCESS_OF: Record<Role, Access> = {
  viewer: 'read',
  translator: 'texts',
  support: 'users',
  editor: 'write',
  owner: 'own',
};

/** Lowest first. */
export const ROLES = Object.keys(ACCESS_OF) as Role[];

/** The languages that a translator is limited to; null: all. */
export function languagesOf({ account, memberships }: Person): (appId: number) => readonly string[] | null {
  if (account.role === 'administrator') return () => null;
  const held = new Map(
    memberships.map(({ appId, role, languages }) => [appId, role === 'translator' ? languages : null]),
  );
  return (appId) => held.get(appId) ?? null;
}

/** A person's access to each application; an administrator owns all of them. */
export function accessOf({ account, memberships }: Person): (appId: number) => Access | undefined {
  if (account.role === 'administrator') return () => 'own';
  const held = new Map(memberships.map(({ appId, role }) => [appId, ACCESS_OF[role]]));
  return (appId) => held.get(appId);
}
