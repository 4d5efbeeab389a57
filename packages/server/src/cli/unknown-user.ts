import { Failure } from './failure.ts';
import { visible } from './table.ts';

export function unknownUser(id: string): Failure {
  return new Failure(`no user of this application has the service_user_code or clientUserId "${visible(id)}".`, {
    wayOut: 'A clientUserId must match exactly. List users with: innkeeper users export --app ID',
  });
}
