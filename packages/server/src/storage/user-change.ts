import type { UserChange, UserRecord } from './port.ts';

/** What a change modifies; the same on every database. */
export function changedFields(before: UserRecord, change: UserChange): (keyof UserChange)[] {
  return (Object.keys(change) as (keyof UserChange)[]).filter(
    (name) => change[name] !== undefined && change[name] !== before[name],
  );
}
