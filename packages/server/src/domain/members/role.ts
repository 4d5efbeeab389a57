import type { Person, Role } from '../../storage/port.ts';
import type { Access } from '../manage/access.ts';

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
