import { ERRORS, type FieldError } from '../domain/errors.ts';
import { refusedArgument } from './argument-problems.ts';
import { Failure } from './failure.ts';
import { visible } from './table.ts';

/** What the rules refuse: an InnkeeperError, or the response made from it. */
export type Refusal = { message: string; fields: readonly FieldError[] | undefined };

/** For the secret of a client or a webhook. */
export const WHILE_PREVIOUS_IS_VALID =
  'Deploy the current secret first. To revoke the previous one now and rotate anyway, add --revoke-previous; if a secret leaked, --overlap 0s revokes both.';

const FIXES = new Map<string, string>([
  [ERRORS.tooManyWebhooks.message, ERRORS.tooManyWebhooks.remedy],
  [ERRORS.webhookIsOff.message, 'Switch it on with: innkeeper webhook set ID --app ID --enable'],
  [ERRORS.previousSecretValid.message, WHILE_PREVIOUS_IS_VALID],
  [ERRORS.deliveryIsTest.message, 'Send another with: innkeeper webhook test ID --app ID'],
]);

/** The same text for a command on a database and one over HTTP. */
export function webhookRefusal({ message, fields = [] }: Refusal, ids: readonly string[]): Failure {
  const [webhookId = '', deliveryId = ''] = ids;
  const [field] = fields;
  if (field) return refusedArgument(field, { url: 'ENDPOINT' });
  if (message === ERRORS.webhookNotFound.message) {
    return new Failure(`no webhook of this application has the id "${visible(webhookId)}".`, {
      wayOut: 'List webhooks with: innkeeper webhook list --app ID',
    });
  }
  if (message === ERRORS.deliveryNotFound.message) {
    return new Failure(`no delivery of this webhook has the id "${visible(deliveryId)}"; it may have expired.`, {
      wayOut: 'List deliveries with: innkeeper webhook deliveries ID --app ID',
    });
  }
  const wayOut = FIXES.get(message);
  return new Failure(message, wayOut === undefined ? {} : { wayOut });
}
