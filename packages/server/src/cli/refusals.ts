import type { Scalar, ValueType } from '../domain/catalog/catalog.ts';
import { ERRORS, type FieldError } from '../domain/errors.ts';
import { Failure, UsageError } from './failure.ts';
import { visible } from './output.ts';

export function unknownApplication(clientId: string): Failure {
  return new Failure(`no application with the clientId "${visible(clientId)}".`, {
    remedy: 'List applications with: innkeeper app list',
  });
}

export function unknownRevision(revision: number): Failure {
  return new Failure(`no revision ${revision} in this catalog.`, {
    remedy: 'List revisions with: innkeeper catalog revisions --app ID',
  });
}

export function unknownUser(id: string): Failure {
  return new Failure(`no user of this application has the service_user_code or clientUserId "${visible(id)}".`, {
    remedy: 'A clientUserId must match exactly. List users with: innkeeper users export --app ID',
  });
}

/** A request problem as a problem of a command's argument; `names` maps fields that are not flags of the same name. */
export function refusedArgument(
  { field, message, allowed }: FieldError,
  names: Record<string, string> = {},
): UsageError {
  const remedy = Array.isArray(allowed) ? { remedy: `Use one of: ${visible(allowed.join(', '))}` } : {};
  return new UsageError(visible(`${names[field] ?? `--${field}`} ${message}.`), remedy);
}

/** A value as typed: 2 is a number for a number key, and a string for a string key. */
export function readTypedValue(text: string, type: ValueType): Scalar {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

export function unknownKey(key: string, isAmbiguous: boolean): Failure {
  return isAmbiguous
    ? new Failure(`"${visible(key)}" names several keys.`, { remedy: 'Use the UID of the key.' })
    : new Failure(`there is no option key "${visible(key)}".`, { remedy: 'Write GROUP.KEY, or the UID of the key.' });
}

/** What the rules refuse: an InnkeeperError, or the response made from it. */
type Refusal = { message: string; fields: readonly FieldError[] | undefined };

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
      remedy: 'List webhooks with: innkeeper webhook list --app ID',
    });
  }
  if (message === ERRORS.deliveryNotFound.message) {
    return new Failure(`no delivery of this webhook has the id "${visible(deliveryId)}"; it may have expired.`, {
      remedy: 'List deliveries with: innkeeper webhook deliveries ID --app ID',
    });
  }
  const remedy = FIXES.get(message);
  return new Failure(message, remedy === undefined ? {} : { remedy });
}
