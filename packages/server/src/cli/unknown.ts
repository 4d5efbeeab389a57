import { Failure } from './failure.ts';
import { visible } from './table.ts';

export function unknownApplication(clientId: string): Failure {
  return new Failure(`no application with the clientId "${visible(clientId)}".`, {
    wayOut: 'List applications with: innkeeper app list',
  });
}

export function unknownRevision(revision: number): Failure {
  return new Failure(`no revision ${revision} in this catalog.`, {
    wayOut: 'List revisions with: innkeeper catalog revisions --app ID',
  });
}

export function unknownUser(id: string): Failure {
  return new Failure(`no user of this application has the service_user_code or clientUserId "${visible(id)}".`, {
    wayOut: 'A clientUserId must match exactly. List users with: innkeeper users export --app ID',
  });
}
