import type { Operation } from '../operation.ts';
import { request } from '../request.ts';
import type { Stage } from '../stage.ts';

/** How many users read in turn. */
const READERS = 1_000;

export const readSelections: Operation = {
  name: 'read-selections',
  title: "read a user's selections (10)",
  status: 200,
  once: false,
  prepare: (stage) => readRequests(stage, '/api/user_options'),
};

export const effectiveSelections: Operation = {
  name: 'effective-selections',
  title: 'effective selections (10 saved, 22 defaults)',
  status: 200,
  once: false,
  prepare: (stage) => readRequests(stage, '/api/user_options?effective=true'),
};

async function readRequests({ clientId, accessTokens }: Stage, path: string): Promise<string[]> {
  const tokens = await accessTokens(READERS);
  return tokens.map((token) => request('GET', path, { apiKey: clientId, Authorization: `Bearer ${token}` }));
}
