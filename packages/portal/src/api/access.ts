import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './queries.ts';

/** What an account may do with an application; each includes the ones before it. */
export type Access = 'read' | 'texts' | 'write' | 'own';
const ORDER: readonly Access[] = ['read', 'texts', 'write', 'own'];

/** Whether the one who is signed in may do this with the application. What it hides, the service refuses too. */
export function useCan(clientId: string): (wanted: Access) => boolean {
  const { data: session } = useQuery(sessionQuery);
  // Of everything, also of what was made a moment ago.
  const granted = session?.administrator
    ? 'own'
    : session?.applications.find((each) => each.clientId === clientId)?.access;
  return (wanted) => granted !== undefined && ORDER.indexOf(wanted) <= ORDER.indexOf(granted);
}
