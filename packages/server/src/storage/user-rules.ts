import type {
  DeletedUser,
  IfThere,
  ImportEntry,
  ImportOutcome,
  ImportSelection,
  SelectionRecord,
  UserChange,
  UserRecord,
  UserStatus,
} from './port.ts';

/** What the database has for an entry's clientUserId, before the import. */
export type StoredProfile = {
  userId: string;
  clientUserName: string;
  hasUser: boolean;
  status: UserStatus | null;
  selections: ReadonlyMap<number, Pick<SelectionRecord, 'value' | 'language' | 'texts' | 'updatedAt'>>;
  /** When a key was last unset, by key number. Only needed for an update. */
  unsetAt: ReadonlyMap<number, number>;
};

type ImportStep =
  | { do: 'nothing'; outcome: ImportOutcome }
  /** Give the profile this user. */
  | { do: 'adopt'; userId: string }
  | {
      do: 'update';
      rename: boolean;
      /** null: unchanged. */
      status: UserStatus | null;
      /** Indexes into the entry's selections. */
      save: number[];
      outcome: ImportOutcome;
    };

/** What to do with an entry whose profile exists: the same on every database. */
export function planEntry(
  entry: ImportEntry,
  stored: StoredProfile,
  ifThere: IfThere,
  isTaken: (userId: string) => boolean,
): ImportStep {
  const nothing = (outcome: ImportOutcome): ImportStep => ({ do: 'nothing', outcome });
  const aloneWanted = entry.createdAt === null;
  if (!stored.hasUser && !aloneWanted) {
    const userId = entry.userId ?? (isTaken(stored.userId) ? entry.newUserId : stored.userId);
    return isTaken(userId) ? nothing('user-id-taken') : { do: 'adopt', userId };
  }
  if (ifThere === 'keep') return nothing('kept');
  if (stored.hasUser && aloneWanted) return nothing('has-user');
  if (entry.userId !== null && entry.userId !== stored.userId) return nothing({ differsIn: 'userId' });

  const rename = entry.clientUserName !== stored.clientUserName;
  const different = entry.selections.flatMap(({ keyNo, value, language, texts = null }, index) => {
    const held = stored.selections.get(keyNo);
    return held?.value === value && held.language === language && held.texts === texts ? [] : [index];
  });
  const status = stored.hasUser && entry.status !== undefined && entry.status !== stored.status ? entry.status : null;
  if (!rename && status === null && different.length === 0) return nothing('unchanged');
  if (ifThere === 'compare') {
    return nothing({ differsIn: rename ? 'clientUserName' : status === null ? (different[0] as number) : 'status' });
  }

  const save = different.filter((index) => !isNewer(stored, entry.selections[index] as ImportSelection));
  const keptNewer = different.length - save.length;
  const outcome = rename || status !== null || save.length > 0 ? 'updated' : 'unchanged';
  const reported: ImportOutcome = keptNewer > 0 ? { outcome, keptNewer } : outcome;
  return outcome === 'updated' ? { do: 'update', rename, status, save, outcome: reported } : nothing(reported);
}

/** Whether the entry's userId now belongs to what it created: the record of its deletion is no longer true. */
export function isRestored(entry: ImportEntry, outcome: ImportOutcome): entry is ImportEntry & { userId: string } {
  return entry.userId !== null && (outcome === 'created' || outcome === 'adopted' || outcome === 'profile-created');
}

/** Whether the user saved or unset this key after the entry's selection. */
function isNewer({ selections, unsetAt }: StoredProfile, { keyNo, updatedAt }: ImportSelection): boolean {
  const changedAt = selections.get(keyNo)?.updatedAt ?? unsetAt.get(keyNo);
  return changedAt !== undefined && changedAt > updatedAt;
}

/** Tables whose rows are deleted with a user by foreign keys. */
const TABLES = [
  'special_tokens',
  'access_tokens',
  'idempotency_keys',
  'selections',
  'selection_events',
  'user_changes',
  'request_log',
  'webhook_responses',
] as const;

/** Members of a JSON object that counts the rows of a user, as SQL; `user` is the parameter with the id. */
export function countRows(user: string): string {
  const profile = `select count(*) from profiles p join users u on u.app_id = p.app_id and u.client_user_id = p.client_user_id and u.user_id = p.user_id
    where u.user_id = ${user}`;
  return [
    `'users', 1, 'profiles', (${profile})`,
    ...TABLES.map((table) => `'${table}', (select count(*) from ${table} where user_id = ${user})`),
  ].join(', ');
}

export type DeletedRow = { at: number; deleted_rows: string | null };

export function toDeletedUser({ at, deleted_rows: rows }: DeletedRow): DeletedUser {
  return { at, rows: rows === null ? null : (JSON.parse(rows) as Record<string, number>) };
}

/** What a change modifies; the same on every database. */
export function changedFields(before: UserRecord, change: UserChange): (keyof UserChange)[] {
  return (Object.keys(change) as (keyof UserChange)[]).filter(
    (name) => change[name] !== undefined && change[name] !== before[name],
  );
}
