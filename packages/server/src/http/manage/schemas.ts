import { SETTING_NAMES, SETTINGS } from '../../domain/applications/settings.ts';
import { VALUE_TYPES } from '../../domain/catalog/catalog.ts';
import { FACT_KINDS } from '../../domain/catalog/change.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import { ACCESS } from '../../domain/manage/access.ts';
import { Nullable, Type } from '../../schema.ts';
import { SELECTION_AUTH_METHODS, USER_STATUSES } from '../../storage/port.ts';
import { PagingQuery, ValueResponse } from '../options/schemas.ts';

export const ApplicationParams = Type.Object({ clientId: Type.String({ description: 'of the application' }) });
/** What the operations on one user have in common. */
export const OF_USER = {
  access: 'users',
  params: Type.Object({ userUid: Type.String({ format: 'uuid', description: 'the service_user_code' }) }),
  errors: ['userNotFound'],
} as const;
export const GroupParams = Type.Object({ groupUid: Type.String({ format: 'uuid' }) });
export const KeyParams = Type.Object({ keyUid: Type.String({ format: 'uuid' }) });
export const RevisionParams = Type.Object({ revision: Type.Integer({ minimum: 1 }) });

const catalogAs = (title: string) => Type.Object(CatalogFileSchema.properties, { additionalProperties: false, title });
/** The catalog file, as JSON. */
export const CatalogShape = catalogAs('CatalogFile');
export const CatalogResponse = catalogAs('Catalog');

/** A key in the catalog file's format. */
export const FileKeySchema = CatalogFileSchema.properties.groups.items.properties.keys.items;

export const PageQuery = Type.Object(PagingQuery);
/** For lists that are paged by the last item seen. */
export const LimitQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, default: 50, description: 'page size, at most 200; a larger one is clamped' }),
  ),
};
export const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' });
export const AccessShape = Type.Enum([...ACCESS], {
  title: 'Access',
  description:
    'read: everything except personal data of users; texts: read and translations; users: read, users and requests; write: all of these and the catalog; own: also secrets, settings, members and deleting the application',
});

const SettingsShape = Type.Object(
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
      Type.Optional(Type.Unknown({ description: `${SETTINGS[name].describe}; null: reset to the default` })),
    ]),
  ),
);

export const Fingerprint = Type.String({ description: 'identifies the clientSecret; grants no access' });

const Secret = Type.Object({
  fingerprint: Fingerprint,
  createdAt: Time,
  expiresAt: Nullable(Type.String({ description: 'null: valid until rotated' })),
  lastUsedAt: Nullable(Type.String({ description: 'to the minute; null: never' })),
});

export const ApplicationResponse = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String(),
    createdAt: Time,
    access: AccessShape,
    settings: SettingsShape,
    changedSettings: Type.Array(Type.String(), { description: 'settings that differ from their defaults' }),
    secrets: Type.Array(Secret, { description: 'valid secrets, the current one first' }),
    counts: Type.Object({
      users: Type.Integer({ description: 'if there are 100,000 or more, up to 5 minutes old' }),
      moreUsers: Type.Boolean({ description: 'true: at least this many; the count is not finished' }),
      languages: Type.Integer(),
      groups: Type.Integer(),
      keys: Type.Integer(),
      revision: Type.Integer({ description: 'of the catalog; 0: nothing published yet' }),
    }),
  },
  { title: 'ManagedApplication' },
);

/** The facts behind a sentence of `details`, for clients that word it in another language. */
const Fact = Type.Object(
  {
    what: Type.Enum([...FACT_KINDS]),
    value: Type.Optional(Type.Unknown({ description: 'only this allowed value' })),
    language: Type.Optional(Type.String({ description: 'of a text' })),
    from: Type.Optional(Type.Unknown({ description: 'null: none; constraints as in the catalog file' })),
    to: Type.Optional(Type.Unknown({ description: 'null: none; for a new key its definition without texts' })),
    more: Type.Optional(Type.Integer({ description: 'number of entries that `to` omits' })),
  },
  { title: 'ChangeFact' },
);

const CHANGE = {
  kind: Type.Enum(['added', 'changed', 'renamed', 'archived', 'removed', 'restored']),
  subject: Type.Enum(['language', 'group', 'key']),
  path: Type.String({ description: 'group or group/key, or the name of a language' }),
  details: Type.Array(Type.String()),
  facts: Type.Optional(
    Type.Array(Fact, {
      description: 'subject of each detail; absent in old revisions',
    }),
  ),
};

export const Change = Type.Object(CHANGE, { title: 'CatalogChange' });

const PlannedChange = Type.Object(
  {
    ...CHANGE,
    selections: Type.Optional(
      Type.Integer({
        description: 'for an existing key: affected selections; if only some values change, those with one of them',
      }),
    ),
  },
  { title: 'PlannedChange' },
);

const Breaking = Type.Object({
  path: Type.String(),
  text: Type.String(),
  fact: Fact,
  selections: Type.Integer({ description: 'affected selections' }),
});

const Note = Type.Object({ path: Type.String(), text: Type.String() });

const Missing = Type.Object({
  language: Type.String(),
  total: Type.Integer(),
  count: Type.Integer({ description: 'number of missing texts' }),
  missing: Type.Array(Type.String(), { description: 'paths without a text, the first 1,000' }),
});

export const PlanShape = {
  changes: Type.Array(PlannedChange),
  breaking: Type.Array(Breaking, { description: 'values users have chosen or could choose, and no longer can' }),
  notes: Type.Array(Note, { description: 'possible mistakes: a `was` that matches nothing' }),
  missing: Type.Array(Missing, { description: 'missing texts of a language' }),
};

export const DraftShape = Type.Object(
  {
    draftId: Type.String({ format: 'uuid' }),
    version: Type.Integer({ description: 'increases with every edit' }),
    etag: Type.String({ description: 'send it as If-Match with the next edit' }),
    baseRevision: Type.Integer({ description: 'the revision it started from' }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedBy: Type.String(),
    updatedAt: Time,
  },
  { title: 'CatalogDraft' },
);

export const EditedResponse = Type.Object(
  {
    revision: Type.Integer({ description: 'current revision; of a draft: the revision it started from' }),
    changed: Type.Boolean({ description: 'false: nothing to change' }),
    changes: PlanShape.changes,
    notes: PlanShape.notes,
    breaking: Type.Optional(PlanShape.breaking),
    missing: Type.Optional(PlanShape.missing),
    draft: Type.Optional(Nullable(DraftShape)),
  },
  {
    title: 'EditedCatalog',
    description:
      'With draft=true: the changes of this edit, and the current draft (null if there is none and nothing changed). GET the draft for breaking changes and missing texts.',
  },
);

export const EDITED_HEADERS = { ETag: 'the current revision of the catalog, or the version of its draft' };

export const DraftEditShape = Type.Object(
  {
    version: Type.Integer({ description: 'version of the draft after the edit' }),
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
      'publisher: an address, token:NAME with the end of the tokenId, or cli:NAME; without access "write" only the first part of an address',
  }),
  authors: Type.Array(Type.String(), { description: 'everyone who edited the draft, or the author' }),
  createdAt: Time,
  note: Type.Optional(Type.String({ description: 'why it was published, if the publisher gave a note' })),
  changes: Type.Array(Change),
};

/** Members of 9409 and 9412 besides code and message. */
export const BreakingMembers = Type.Object({ breaking: PlanShape.breaking });
export const ChangedMembers = Type.Object({
  revision: Type.Integer({ description: 'current revision of the catalog' }),
  revisions: Type.Array(Type.Object(RevisionShape), {
    description: 'revisions published since the one in If-Match, newest first, at most 50',
  }),
  draft: Type.Optional(Nullable(DraftShape)),
  edits: Type.Optional(
    Type.Array(DraftEditShape, {
      description: 'edits of the draft since the version in If-Match, newest first, at most 200',
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
    value: ValueResponse,
    isDefault: Type.Boolean({ description: 'true: the user never chose, and the default applies' }),
    userOptionsUid: Nullable(Type.String({ format: 'uuid' })),
    revision: Nullable(Type.Integer({ description: 'revision at the time of the save' })),
    language: Nullable(Type.String({ description: 'for an open text: language tag of `value`' })),
    texts: Nullable(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'for an open text: texts in other languages, by tag',
      }),
    ),
    etag: Nullable(Type.String({ description: 'of the record; send it as `if_match`' })),
    createdAt: Nullable(Time),
    updatedAt: Nullable(Time),
  },
  { title: 'ManagedUserOption' },
);

export const EventShape = Type.Object(
  {
    at: Time,
    action: Type.Enum(['save', 'unset']),
    by: Type.Enum([...SELECTION_AUTH_METHODS]),
    actor: Nullable(Type.String({ description: 'who changed it' })),
    language: Nullable(Type.String({ description: 'for an open text: tag of the saved language' })),
    userOptionsUid: Type.String({ format: 'uuid' }),
    groupUid: Nullable(Type.String({ format: 'uuid' })),
    groupName: Nullable(Type.String()),
    keyUid: Nullable(Type.String({ format: 'uuid' })),
    keyName: Nullable(Type.String()),
    fromValue: Nullable(ValueResponse),
    toValue: Nullable(ValueResponse),
  },
  { title: 'ManagedUserOptionEvent' },
);
