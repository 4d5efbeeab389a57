/** What may be done in an application; each includes the ones before it. */
export const ACCESS = ['read', 'texts', 'write', 'own'] as const;
export type Access = (typeof ACCESS)[number];

export function includesAccess(held: Access | undefined, needed: Access): boolean {
  return held !== undefined && ACCESS.indexOf(held) >= ACCESS.indexOf(needed);
}

/** What both allow. */
export function lesserAccess(one: Access, other: Access): Access {
  return includesAccess(one, other) ? other : one;
}
