import { Failure } from './failure.ts';

export function unknownRevision(revision: number): Failure {
  return new Failure(`there is no revision ${revision} of this catalog.`, {
    wayOut: 'See them all with: innkeeper catalog revisions --app ID',
  });
}
