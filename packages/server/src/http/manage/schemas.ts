import { SETTING_NAMES, SETTINGS } from '../../domain/applications/settings.ts';
import { VALUE_TYPES } from '../../domain/catalog/catalog.ts';
import { FACT_KINDS } from '../../domain/catalog/change.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import { ACCESS } from '../../domain/manage/access.ts';
import { type TObject, type TSchema, Type } from '../../schema.ts';
import { USER_STATUSES } from '../../storage/port.ts';
import { PagingQuery, ValueAnswer } from '../options/schemas.ts';

export const ApplicationParams = Type.Object({ clientId: Type.String({ description: 'of the application' }) });
export const UserParams = Type.Object({
  userUid: Type.String({ format: 'uuid', description: 'the service_user_code' }),
});
export const GroupParams = Type.Object({ groupUid: Type.String({ format: 'uuid' }) });
export const KeyParams = Type.Object({ keyUid: Type.String({ format: 'uuid' }) });
export const RevisionParams = Type.Object({ revision: Type.Integer({ minimum: 1 }) });

export function withParams(params: TObject, more: unknown): TObject {
  return Type.Object({ ...params.properties, ...((more as TObject | undefined)?.properties ?? {}) });
}

/** CONTRACT.md section 4, as JSON. */
export const CatalogShape = Type.Object(CatalogFileSchema.properties, {
  additionalProperties: false,
  title: 'CatalogFile',
});

export const CatalogAnswer = Type.Object(CatalogFileSchema.properties, {
  additionalProperties: false,
  title: 'Catalog',
});

/** A key as the catalog file has it. */
export const FileKeySchema = CatalogFileSchema.properties.groups.items.properties.keys.items;

export const PageQuery = Type.Object(PagingQuery);
export const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' });
export const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);

export const AccessShape = Type.Enum([...ACCESS], {
  title: 'Access',
  description:
    'read: everything except personal data of users; texts: also writes translations; users: also reads and manages users, and reads requests; write: texts, users and the catalog; own: also secrets, settings and members, and deleting the application',
});

export const SettingsShape = Type.Object(
  Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { describe, default: byDefault } = SETTINGS[name];
      const options = { description: describe, default: byDefault };
      if (typeof byDefault === 'number') return [name, Type.Integer(options)];
      if (typeof byDefault === 'boolean') return [name, Type.Boolean(options)];
      if (Array.isArray(byDefault)) return [name, Type.Array(Type.String(), options)];
      return [name, Type.String(options)];
    }),
  ),
  { title: 'ApplicationSettings' },
);

export const SettingsPatch = Type.Object(
  Object.fromEntries(
    SETTING_NAMES.map((name) => [
      name,
      Type.Optional(Type.Unknown({ description: `${SETTINGS[name].describe}; null: back to the default` })),
    ]),
  ),
);

export const Fingerprint = Type.String({ description: 'what this clientSecret is told apart by; it opens nothing' });

const Secret = Type.Object({
  fingerprint: Fingerprint,
  createdAt: Time,
  expiresAt: Nullable(Type.String({ description: 'null: good until it is rotated' })),
  lastUsedAt: Nullable(Type.String({ description: 'to the minute; null: never yet' })),
});

export const ApplicationAnswer = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String(),
    createdAt: Time,
    access: AccessShape,
    settings: SettingsShape,
    changedSettings: Type.Array(Type.String(), { description: 'those that differ from their defaults' }),
    secrets: Type.Array(Secret, { description: 'those that are good, the current one first' }),
    counts: Type.Object({
      users: Type.Integer(),
      languages: Type.Integer(),
      groups: Type.Integer(),
      keys: Type.Integer(),
      revision: Type.Integer({ description: 'of the catalog; 0: nothing was published yet' }),
    }),
  },
  { title: 'ManagedApplication' },
);

/** The same as a sentence of `details`, for whoever words it in another language. */
const Fact = Type.Object(
  {
    what: Type.Enum([...FACT_KINDS]),
    value: Type.Optional(Type.Unknown({ description: 'it is about this allowed value alone' })),
    language: Type.Optional(Type.String({ description: 'of a text' })),
    from: Type.Optional(Type.Unknown({ description: 'null: there was none; constraints as in the catalog file' })),
    to: Type.Optional(Type.Unknown({ description: 'null: there is none; of a new key its definition without texts' })),
    more: Type.Optional(Type.Integer({ description: 'how many more there are than `to` lists' })),
  },
  { title: 'ChangeFact' },
);

const CHANGE = {
  kind: Type.Enum(['added', 'changed', 'renamed', 'archived', 'restored']),
  subject: Type.Enum(['language', 'group', 'key']),
  path: Type.String({ description: 'group or group/key, or the name of a language' }),
  details: Type.Array(Type.String()),
  facts: Type.Optional(
    Type.Array(Fact, {
      description: 'what each detail is about; missing where a revision was published before there were any',
    }),
  ),
};

export const Change = Type.Object(CHANGE, { title: 'CatalogChange' });

const PlannedChange = Type.Object(
  {
    ...CHANGE,
    selections: Type.Optional(
      Type.Integer({
        description:
          'of a key that is there already: the saved selections that the change touches; where it is about certain values, those that hold one',
      }),
    ),
  },
  { title: 'PlannedChange' },
);

const Breaking = Type.Object({
  path: Type.String(),
  text: Type.String(),
  fact: Fact,
  selections: Type.Integer({ description: 'saved selections that it touches' }),
});

const Note = Type.Object({ path: Type.String(), text: Type.String() });

const Missing = Type.Object({
  language: Type.String(),
  total: Type.Integer(),
  count: Type.Integer({ description: 'how many are missing' }),
  missing: Type.Array(Type.String(), { description: 'path of what has no text, the first 1,000' }),
});

export const PlanShape = {
  changes: Type.Array(PlannedChange),
  breaking: Type.Array(Breaking, { description: 'what users could choose before, or have chosen, and no longer can' }),
  notes: Type.Array(Note, { description: 'what may not be meant: a `was` that names nothing there is' }),
  missing: Type.Array(Missing, { description: 'texts that a language has not got' }),
};

export const DraftShape = Type.Object(
  {
    draftId: Type.String({ format: 'uuid' }),
    version: Type.Integer({ description: 'grows with every edit' }),
    etag: Type.String({ description: 'what If-Match wants of the next edit' }),
    baseRevision: Type.Integer({ description: 'the revision that it was begun from' }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedBy: Type.String(),
    updatedAt: Time,
  },
  { title: 'CatalogDraft' },
);

export const EditedAnswer = Type.Object(
  {
    revision: Type.Integer({ description: 'of the catalog as it is now; of a draft, the one that it was begun from' }),
    changed: Type.Boolean({ description: 'false: it was so already' }),
    changes: PlanShape.changes,
    notes: PlanShape.notes,
    breaking: Type.Optional(PlanShape.breaking),
    missing: Type.Optional(PlanShape.missing),
    draft: Type.Optional(Nullable(DraftShape)),
  },
  {
    title: 'EditedCatalog',
    description:
      'With draft=true: what the edit changed in the draft, and the draft as it is now; null when there was nothing to change and there is none. What it would break or leave without a text is told with the draft as a whole.',
  },
);

export const EDITED_HEADERS = { ETag: 'the revision of the catalog as it is now, or the version of its draft' };

export const DraftEditShape = Type.Object(
  {
    version: Type.Integer({ description: 'of the draft, that it made' }),
    kind: Type.Enum(['edit', 'undo', 'redo']),
    author: Type.String(),
    at: Time,
    changes: Type.Array(Change),
  },
  { title: 'CatalogDraftEdit' },
);

export const RevisionShape = {
  revision: Type.Integer(),
  author: Type.String({
    description:
      'who published it: token:NAME with the end of the tokenId, cli:NAME, …; of an address only the first part without access "write"',
  }),
  authors: Type.Array(Type.String(), { description: 'who made the changes: all that edited the draft, or the author' }),
  createdAt: Time,
  changes: Type.Array(Change),
};

export const NotModified = Type.Null({ description: 'What If-None-Match names is still current.' });

/** What stands beside code and message of 9409 and 9412. */
export const BreakingMembers = Type.Object({ breaking: PlanShape.breaking });
export const ChangedMembers = Type.Object({
  revision: Type.Integer({ description: 'of the catalog as it is now' }),
  revisions: Type.Array(Type.Object(RevisionShape), {
    description: 'what was published since the revision that If-Match names, newest first, at most 50',
  }),
  draft: Type.Optional(Nullable(DraftShape)),
  edits: Type.Optional(
    Type.Array(DraftEditShape, {
      description: 'of a draft: what was done to it since the version that If-Match names, newest first, at most 200',
    }),
  ),
});

export const UserShape = {
  userUid: Type.String({ format: 'uuid', description: 'the service_user_code' }),
  clientUserId: Type.String(),
  clientUserName: Type.String(),
  email: Type.String(),
  status: Type.Enum([...USER_STATUSES]),
  createdAt: Time,
  updatedAt: Time,
};

export const AccessTokenShape = Type.Object(
  { tokenId: Type.String(), issuedAt: Time, expiresAt: Time },
  { title: 'ManagedAccessToken' },
);

export const OptionShape = Type.Object(
  {
    groupUid: Type.String({ format: 'uuid' }),
    groupName: Type.String(),
    keyUid: Type.String({ format: 'uuid' }),
    keyName: Type.String(),
    valueType: Type.Enum([...VALUE_TYPES]),
    archived: Type.Boolean(),
    value: ValueAnswer,
    isDefault: Type.Boolean({ description: 'the user never chose: the default holds' }),
    userOptionsUid: Nullable(Type.String({ format: 'uuid' })),
    revision: Nullable(Type.Integer({ description: 'the revision it was saved in' })),
    language: Nullable(Type.String({ description: 'of an open text: the tag of the language of `value`' })),
    texts: Nullable(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'of an open text: what it says in other languages, by tag',
      }),
    ),
    etag: Nullable(Type.String({ description: 'of the record: for `if_match`' })),
    createdAt: Nullable(Time),
    updatedAt: Nullable(Time),
  },
  { title: 'ManagedUserOption' },
);

export const EventShape = Type.Object(
  {
    at: Time,
    action: Type.Enum(['save', 'unset']),
    by: Type.Enum(['user_uid', 'access_token', 'import', 'manage']),
    actor: Nullable(Type.String({ description: 'who changed it here' })),
    language: Nullable(Type.String({ description: 'of an open text: the tag of the language saved' })),
    userOptionsUid: Type.String({ format: 'uuid' }),
    groupUid: Nullable(Type.String({ format: 'uuid' })),
    groupName: Nullable(Type.String()),
    keyUid: Nullable(Type.String({ format: 'uuid' })),
    keyName: Nullable(Type.String()),
    fromValue: Nullable(ValueAnswer),
    toValue: Nullable(ValueAnswer),
  },
  { title: 'ManagedUserOptionEvent' },
);
