/** The suggested fix if PostgreSQL is read-only; undefined for any other error. */
export function readOnlySteps(error: unknown): string | undefined {
  if (!(error instanceof Error && error.message.endsWith('in a read-only transaction'))) return undefined;
  return 'PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. Point INNKEEPER_DATABASE_URL to the primary (several hosts can be listed), or switch the setting off.';
}
