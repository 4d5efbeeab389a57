import type { AccountRecord, Role } from '../../storage/port.ts';

/** What a claim value grants: the administrator role, or a role in an application. */
export type RoleGrant = { value: string } & ({ administrator: true } | { clientId: string; role: Role });

export type OidcRules = {
  /** Verified addresses in these domains get an account at their first sign-in. In lower case. */
  domains: readonly string[];
  /** The claim with groups or roles. With it, `grants` sets the roles it names at every sign-in. */
  rolesClaim: string;
  grants: readonly RoleGrant[];
};

/** The roles for someone with these claims. Covers only what the grants name. */
export type WantedRoles = {
  /** undefined: no grant names it. */
  role: AccountRecord['role'] | undefined;
  /** By clientId; null: none. */
  applications: ReadonlyMap<string, Role | null>;
};

/** Lowest first. */
const ORDER: readonly Role[] = ['viewer', 'translator', 'support', 'editor', 'owner'];

export function wantedRoles({ rolesClaim, grants }: OidcRules, claims: Record<string, unknown>): WantedRoles {
  const held = new Set([claims[rolesClaim]].flat().filter((value) => typeof value === 'string'));
  const applications = new Map<string, Role | null>();
  let role: WantedRoles['role'];
  for (const grant of grants) {
    const isHeld = held.has(grant.value);
    if ('administrator' in grant) {
      if (isHeld) role = 'administrator';
      else role ??= 'member';
      continue;
    }
    const before = applications.get(grant.clientId) ?? null;
    const isMore = before === null || ORDER.indexOf(grant.role) > ORDER.indexOf(before);
    applications.set(grant.clientId, isHeld && isMore ? grant.role : before);
  }
  return { role, applications };
}

/** `value=administrator` or `value=CLIENTID:role`; undefined: neither. */
export function readGrant(text: string): RoleGrant | undefined {
  const at = text.lastIndexOf('=');
  const [value, what] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || value === '') return undefined;
  if (what === 'administrator') return { value, administrator: true };
  const [clientId = '', name = '', ...more] = what.split(':');
  const role = ORDER.find((each) => each === name);
  return clientId !== '' && role && more.length === 0 ? { value, clientId, role } : undefined;
}
