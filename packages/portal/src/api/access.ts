import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './queries.ts';

export const ACCESSES = ['read', 'texts', 'users', 'write', 'own'] as const;
/** What an account may do in an application. */
export type Access = (typeof ACCESSES)[number];

/** As in the service: neither of `texts` and `users` includes the other. */
const INCLUDED: Record<Access, readonly Access[]> = {
  read: ['read'],
  texts: ['read', 'texts'],
  users: ['read', 'users'],
  write: ['read', 'texts', 'users', 'write'],
  own: ACCESSES,
};

/** Tags of the languages that a translator is limited to; null: all. */
export function useOwnLanguages(clientId: string): readonly string[] | null {
  const { data: session } = useQuery(sessionQuery);
  return session?.applications.find((each) => each.clientId === clientId)?.languages ?? null;
}

/** Whether the signed-in user may do this in the application. The service refuses what this hides. */
export function useCan(clientId: string): (wanted: Access) => boolean {
  const { data: session } = useQuery(sessionQuery);
  // Includes applications created a moment ago.
  const granted = session?.administrator
    ? 'own'
    : session?.applications.find((each) => each.clientId === clientId)?.access;
  return (wanted) => granted !== undefined && INCLUDED[granted].includes(wanted);
}
