/** What the domain knows of storage: one file per topic, each with the stores that both databases implement. */

export * from './port/accounts.ts';
export * from './port/activity-and-audit.ts';
export * from './port/applications.ts';
export * from './port/catalogs.ts';
export * from './port/driver.ts';
export * from './port/events.ts';
export * from './port/selections.ts';
export * from './port/service-state.ts';
export * from './port/storage.ts';
export * from './port/transfer.ts';
export * from './port/users.ts';
export * from './port/webhooks.ts';
