import { Failure } from './failure.ts';

export function unknownRevision(revision: number): Failure {
  return new Failure(`no revision ${revision} in this catalog.`, {
    wayOut: 'List revisions with: innkeeper catalog revisions --app ID',
  });
}
