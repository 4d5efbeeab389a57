import { VALUE_TYPES } from '../../domain/catalog/catalog.ts';
import type { ErrorName } from '../../domain/errors.ts';
import { Nullable, type TObject, type TProperties, type TSchema, Type } from '../../schema.ts';

/**
 * Shapes of the options API. The domain checks requests, because it knows the contract's codes; responses are
 * serialized as they are.
 */
export const PagingQuery = {
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'index of the first item' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 50,
      description:
        'page size, at most 200; larger values are clamped, and a page of large items ends early: `limit` of the response is its size',
    }),
  ),
};

export const LanguageQuery = {
  language: Type.Optional(
    Type.String({ description: "name or tag of one of the application's languages; limits `translations` to it" }),
  ),
};

export function queryOf(...properties: TProperties[]): TObject {
  return Type.Object(Object.assign({}, ...properties));
}

/** Errors of every operation of the options API. */
export const API_KEY_ERRORS = ['apiKeyMissing', 'apiKeyUnknown', 'unavailable'] as const satisfies ErrorName[];

/** Errors of operations that identify a user. */
export const USER_ERRORS = [
  ...API_KEY_ERRORS,
  'badParameter',
  'userMissing',
  'userCredentialsNeeded',
  'accessTokenInvalid',
  'profileUserNotFound',
  'userSuspended',
  'tooManyFailures',
  'tokenServiceDown',
] as const satisfies ErrorName[];

export const AcceptLanguageHeader = Type.Object({
  'Accept-Language': Type.Optional(
    Type.String({ description: 'language of labels, and in a save of the texts shown, if `language` is not given' }),
  ),
});

export const CACHED_HEADERS = { ETag: 'send it as If-None-Match' };
export const RECORD_HEADERS = {
  ETag: 'starts with the `etag` of the record; send it as If-None-Match with GET, or as If-Match with POST',
};
export const LIST_HEADERS = {
  ...CACHED_HEADERS,
  Link: 'first, prev, next and last page (RFC 8288)',
};
export function ListResponse(item: TSchema): TObject {
  return Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
  });
}

const ScalarResponse = Type.Union([Type.Boolean(), Type.String(), Type.Number()]);
export const ValueResponse = Type.Union([ScalarResponse, Type.Array(ScalarResponse)], {
  title: 'OptionValue',
  description: 'one value, or an array for a multiple-choice key',
});

const GroupTranslation = Type.Object(
  {
    option_group_translation_uid: Type.String({ format: 'uuid' }),
    name: Type.String(),
    language: Type.String(),
  },
  { title: 'OptionGroupTranslation' },
);

const Description = Nullable(Type.String({ description: 'help text in this language; null if there is none' }));
/** What to show, in the language of the request. */
const SHOWN = {
  label: Type.String({ description: 'the text to show' }),
  label_language: Nullable(Type.String({ description: 'language of the text; null if it is the name' })),
  description: Nullable(Type.String({ description: 'the help text to show, with the same fallback as the label' })),
  description_language: Nullable(Type.String({ description: 'language of the text; null if there is none' })),
};

export const GroupResponse = Type.Object(
  {
    option_group_uid: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...SHOWN,
    position: Type.Integer(),
    translations: Type.Array(Type.Object({ ...GroupTranslation.properties, description: Description })),
  },
  { title: 'OptionGroup' },
);

export const KeyResponse = Type.Object(
  {
    option_key_uid: Type.String({ format: 'uuid' }),
    option_group_uid: Type.String({ format: 'uuid' }),
    option_group_name: Type.String(),
    name: Type.String(),
    ...SHOWN,
    position: Type.Integer(),
    value_type: Type.Enum([...VALUE_TYPES]),
    multiple: Type.Boolean(),
    min_selected: Type.Integer(),
    max_selected: Nullable(Type.Integer()),
    default_value: Nullable(ValueResponse),
    allowed_values: Type.Optional(
      Type.Array(
        Type.Object({
          value: ScalarResponse,
          label: Type.String(),
          translations: Type.Array(Type.Object({ language: Type.String(), value: Type.String() })),
          retired: Type.Boolean(),
          replacement: Type.Optional(ScalarResponse),
        }),
      ),
    ),
    constraint: Type.Optional(
      Type.Object(
        {
          min: Nullable(Type.Union([Type.Number(), Type.String()])),
          max: Nullable(Type.Union([Type.Number(), Type.String()])),
          step: Nullable(Type.Number()),
          pattern: Nullable(Type.String()),
          max_length: Nullable(Type.Integer()),
        },
        { description: 'for an open key, instead of allowed_values' },
      ),
    ),
    archived: Type.Boolean(),
    translations: Type.Array(
      Type.Object({
        option_key_translation_uid: Type.String({ format: 'uuid' }),
        language: Type.String(),
        name: Type.String(),
        description: Description,
      }),
    ),
  },
  { title: 'OptionKey' },
);

const LABEL = {
  label: Type.String({ description: 'the text to show, from the current catalog' }),
  label_language: SHOWN.label_language,
};

const UserOption = {
  app_id: Type.String(),
  user_uid: Type.String({ format: 'uuid' }),
  option_group_uid: Type.String({ format: 'uuid' }),
  option_key_uid: Type.String({ format: 'uuid', description: 'UID of its key, which survives renames' }),
  group: Type.Object({
    name: Type.String(),
    ...LABEL,
    translations: Type.Array(GroupTranslation),
  }),
  option: Type.Object({
    name: Type.String(),
    ...LABEL,
    value: ValueResponse,
    value_label: Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'text of the value, or of each of several, from the current catalog',
    }),
    translations: Type.Array(
      Type.Object({
        option_key_translation_uid: Type.String({ format: 'uuid' }),
        language: Type.String(),
        name: Type.String(),
        value: ValueResponse,
      }),
    ),
  }),
};

const Time = Type.String({
  description: 'UTC, YYYY-MM-DD HH:MM:SS',
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
});

const Etag = Type.String({
  description: 'changes with the record, not with labels or languages; send it as If-Match or `if_match`',
});

export const UserOptionResponse = Type.Object(
  {
    user_options_uid: Type.String({ format: 'uuid' }),
    ...UserOption,
    created_at: Time,
    updated_at: Time,
    etag: Etag,
    source: Type.Optional(Type.Literal('saved', { description: 'with effective=true' })),
  },
  { title: 'UserOption' },
);

/** With effective=true: the value of a key that was never saved, or whose saved value is no longer allowed. */
export const DefaultOptionResponse = Type.Object(
  {
    user_options_uid: Nullable(Type.String({ format: 'uuid' })),
    ...UserOption,
    created_at: Nullable(Time),
    updated_at: Nullable(Time),
    etag: Nullable(Etag),
    is_default: Type.Literal(true),
    source: Type.Literal('default'),
    saved_value: Type.Optional(ValueResponse),
  },
  {
    title: 'DefaultOption',
    description:
      'with effective=true: `default` if the key was never saved (user_options_uid is null) or no longer allows the saved value (saved_value)',
  },
);

/** Members of 1014 besides code and message. */
export const ChangedMembers = Type.Object({
  current: Nullable(UserOptionResponse),
});
