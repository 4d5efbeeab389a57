export type DatabaseKind = 'sqlite' | 'postgres';

export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** The address of the database cannot be read: trying again does not help. What it is may hold a password. */
export class DatabaseUrlInvalid extends Error {
  override name = 'DatabaseUrlInvalid';
}
