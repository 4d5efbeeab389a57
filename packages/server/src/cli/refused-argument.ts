import type { FieldError } from '../domain/errors.ts';
import { UsageError } from './failure.ts';
import { visible } from './table.ts';

/** A request problem as a problem of a command's argument; `names` maps fields that are not flags of the same name. */
export function refusedArgument(
  { field, message, allowed }: FieldError,
  names: Record<string, string> = {},
): UsageError {
  const wayOut = Array.isArray(allowed) ? { wayOut: `Use one of: ${visible(allowed.join(', '))}` } : {};
  return new UsageError(visible(`${names[field] ?? `--${field}`} ${message}.`), wayOut);
}
