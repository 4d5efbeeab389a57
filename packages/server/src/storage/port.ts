/** All that the rules know of storage: one file for each noun, with the same name in sqlite/ and postgres/. */

export * from './port/accounts.ts';
export * from './port/activity.ts';
export * from './port/applications.ts';
export * from './port/audit.ts';
export * from './port/backup.ts';
export * from './port/catalogs.ts';
export * from './port/changes.ts';
export * from './port/clock.ts';
export * from './port/data-check.ts';
export * from './port/database.ts';
export * from './port/drafts.ts';
export * from './port/driver.ts';
export * from './port/events.ts';
export * from './port/facts.ts';
export * from './port/manage-tokens.ts';
export * from './port/members.ts';
export * from './port/problems.ts';
export * from './port/rate-limits.ts';
export * from './port/scrub.ts';
export * from './port/selections.ts';
export * from './port/signing-keys.ts';
export * from './port/storage.ts';
export * from './port/tokens.ts';
export * from './port/transfer.ts';
export * from './port/trials.ts';
export * from './port/users.ts';
