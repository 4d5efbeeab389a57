export type DatabaseKind = 'sqlite' | 'postgres';

export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** The file of an embedded database is damaged or cannot be read. The message names it; RESTORE_STEPS say what to do. */
export class DatabaseDamaged extends StorageUnavailable {
  override name = 'DatabaseDamaged';
}

/** The file of an embedded database has a second name. hardLinkSteps say what to do. */
export class DatabaseHardLinked extends StorageUnavailable {
  override name = 'DatabaseHardLinked';
  readonly path: string;

  constructor(path: string, names: number) {
    super(
      `the database file ${path} has ${names} names (hard links). Used by more than one of them, it would lose data.`,
    );
    this.path = path;
  }
}

/** The database must not be used in its present state: nothing was changed. */
export class DatabaseRefused extends StorageUnavailable {
  override name = 'DatabaseRefused';
  readonly wayOut: string;

  constructor(message: string, wayOut: string) {
    super(message);
    this.wayOut = wayOut;
  }
}

/** The database URL is invalid: a retry does not help. It may contain a password. */
export class DatabaseUrlInvalid extends Error {
  override name = 'DatabaseUrlInvalid';
}
