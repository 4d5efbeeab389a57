import type { Binding } from '../common/store.ts';
import { performCommonAct } from '../common/stores.ts';
import { logChange } from './changes.ts';
import { type Connections, type Statement, statement } from './connections.ts';
import { violation } from './errors.ts';

const MAX_TRIES = 5;
/** Deleting a million users with their data takes minutes. */
export const DELETE_MS = 600_000;
/** Acts that write thousands of rows may take longer than others. */
const MAX_MS: Partial<Record<string, number>> = { 'drafts.save': 60_000, 'applications.delete': DELETE_MS };

const statements = new Map<string, Statement>();

function prepared(text: string): Statement {
  let found = statements.get(text);
  if (!found) {
    found = statement(text);
    statements.set(text, found);
  }
  return found;
}

/** Runs the stores shared by both databases on PostgreSQL. */
export function bindingOf(connections: Connections): Binding {
  return {
    reads: (make) => make((text, values) => connections.read(prepared(text), values)),
    async act(call) {
      for (let tries = 1; ; tries++) {
        try {
          return await connections.transaction(
            (query) =>
              performCommonAct({ query, logChange: (subject, appId) => logChange(query, subject, appId) }, call),
            MAX_MS[`${call.store}.${call.act}`],
          );
        } catch (error) {
          // A row was added or deleted after the act read it: the next attempt sees that.
          if (!violation(error) || tries === MAX_TRIES) throw error;
        }
      }
    },
  };
}
