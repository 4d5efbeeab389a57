import type { FieldError } from '../domain/errors.ts';
import { Misuse } from './failure.ts';
import { visible } from './table.ts';

/** What the rules refuse of a request, as an argument of the command; `names` are those that are no flags of the same name. */
export function refusedArgument({ field, message, allowed }: FieldError, names: Record<string, string> = {}): Misuse {
  const wayOut = Array.isArray(allowed) ? { wayOut: `Use one of: ${visible(allowed.join(', '))}` } : {};
  return new Misuse(visible(`${names[field] ?? `--${field}`} ${message}.`), wayOut);
}
