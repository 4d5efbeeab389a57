import type { Scalar, ValueType } from '../domain/catalog/catalog.ts';
import type { FieldError } from '../domain/errors.ts';
import { Failure, UsageError } from './failure.ts';
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

/** A request problem as a problem of a command's argument; `names` maps fields that are not flags of the same name. */
export function refusedArgument(
  { field, message, allowed }: FieldError,
  names: Record<string, string> = {},
): UsageError {
  const wayOut = Array.isArray(allowed) ? { wayOut: `Use one of: ${visible(allowed.join(', '))}` } : {};
  return new UsageError(visible(`${names[field] ?? `--${field}`} ${message}.`), wayOut);
}

/** A value as typed: 2 is a number for a number key, and a string for a string key. */
export function readTypedValue(text: string, type: ValueType): Scalar {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

export function unknownKey(key: string, isAmbiguous: boolean): Failure {
  return isAmbiguous
    ? new Failure(`"${visible(key)}" names several keys.`, { wayOut: 'Give the UID of the key.' })
    : new Failure(`there is no option key "${visible(key)}".`, { wayOut: 'Write GROUP.KEY, or the UID of the key.' });
}
