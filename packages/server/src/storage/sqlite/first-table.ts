/** Created by the first migration, together with the version: a file with tables but without this one is not ours. */
export const FIRST_TABLE = 'application_secrets';
