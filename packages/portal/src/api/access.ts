import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './queries.ts';

export const ACCESSES = ['read', 'texts', 'users', 'write', 'own'] as const;
/** What an account may do with an application. */
export type Access = (typeof ACCESSES)[number];

/** As the service has it: neither of `texts` and `users` includes the other. */
const INCLUDED: Record<Access, readonly Access[]> = {
  read: ['read'],
  texts: ['read', 'texts'],
  users: ['read', 'users'],
  write: ['read', 'texts', 'users', 'write'],
  own: ACCESSES,
};

/** The languages that a translator is limited to, by tag; null: all. */
export function useOwnLanguages(clientId: string): readonly string[] | null {
  const { data: session } = useQuery(sessionQuery);
  return session?.applications.find((each) => each.clientId === clientId)?.languages ?? null;
}

/** Whether the one who is signed in may do this with the application. What it hides, the service refuses too. */
export function useCan(clientId: string): (wanted: Access) => boolean {
  const { data: session } = useQuery(sessionQuery);
  // Of everything, also of what was made a moment ago.
  const granted = session?.administrator
    ? 'own'
    : session?.applications.find((each) => each.clientId === clientId)?.access;
  return (wanted) => granted !== undefined && INCLUDED[granted].includes(wanted);
}
