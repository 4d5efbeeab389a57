import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { VALUE_TYPES } from '../../domain/catalog/catalog.ts';
import { ErrorAnswer } from '../schemas.ts';

/** Shapes of area B. Requests are checked by the rules, which know the contract's codes; answers are serialised as they are. */
export const PagingQuery = {
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'where the page starts' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 0, default: 50, description: 'page size, at most 200; a larger one is clamped' }),
  ),
};

export const LanguageQuery = {
  language: Type.Optional(
    Type.String({ description: "name or tag of one of the application's languages; holds translations to it" }),
  ),
};

export function queryOf(...properties: TProperties[]): TObject {
  return Type.Object(Object.assign({}, ...properties));
}

export const FieldErrors = Type.Array(
  Type.Object({
    field: Type.String(),
    message: Type.String(),
    allowed: Type.Optional(Type.Unknown({ description: 'what it may be' })),
  }),
);

export const OptionErrorAnswer = Type.Object({
  ...ErrorAnswer.properties,
  errors: Type.Optional(FieldErrors),
});

export function optionErrors(...statuses: number[]): Record<number, TSchema> {
  return Object.fromEntries(statuses.map((status) => [status, OptionErrorAnswer]));
}

export function ListAnswer(item: TSchema): TObject {
  return Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
  });
}

const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
const ScalarAnswer = Type.Union([Type.Boolean(), Type.String(), Type.Number()]);
export const ValueAnswer = Type.Union([ScalarAnswer, Type.Array(ScalarAnswer)], {
  description: 'one value, or an array for a key that takes several',
});

export const GroupTranslation = Type.Object({
  option_group_translation_uid: Type.String({ format: 'uuid' }),
  name: Type.String(),
  language: Type.String(),
});

export const GroupAnswer = Type.Object({
  option_group_uid: Type.String({ format: 'uuid' }),
  name: Type.String(),
  label: Type.String({ description: 'the text to show' }),
  label_language: Nullable(Type.String({ description: 'which language it is; null when it is the name' })),
  position: Type.Integer(),
  translations: Type.Array(GroupTranslation),
});

export const KeyAnswer = Type.Object({
  option_key_uid: Type.String({ format: 'uuid' }),
  option_group_uid: Type.String({ format: 'uuid' }),
  option_group_name: Type.String(),
  name: Type.String(),
  label: Type.String({ description: 'the text to show' }),
  label_language: Nullable(Type.String({ description: 'which language it is; null when it is the name' })),
  position: Type.Integer(),
  value_type: Type.Enum([...VALUE_TYPES]),
  multiple: Type.Boolean(),
  min_selected: Type.Integer(),
  max_selected: Nullable(Type.Integer()),
  default_value: Nullable(ValueAnswer),
  allowed_values: Type.Optional(
    Type.Array(
      Type.Object({
        value: ScalarAnswer,
        label: Type.String(),
        translations: Type.Array(Type.Object({ language: Type.String(), value: Type.String() })),
        retired: Type.Boolean(),
        replacement: Type.Optional(ScalarAnswer),
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
      { description: 'instead of allowed_values: an open key' },
    ),
  ),
  archived: Type.Boolean(),
  translations: Type.Array(
    Type.Object({
      option_key_translation_uid: Type.String({ format: 'uuid' }),
      language: Type.String(),
      name: Type.String(),
    }),
  ),
});

/** SPEC.md 2.4 */
export const UserOptionAnswer = Type.Object({
  user_options_uid: Nullable(Type.String({ format: 'uuid' })),
  app_id: Type.String(),
  user_uid: Type.String({ format: 'uuid' }),
  group: Type.Object({ name: Type.String(), translations: Type.Array(GroupTranslation) }),
  option: Type.Object({
    name: Type.String(),
    value: ValueAnswer,
    translations: Type.Array(
      Type.Object({
        option_key_translation_uid: Type.String({ format: 'uuid' }),
        language: Type.String(),
        name: Type.String(),
        value: ValueAnswer,
      }),
    ),
  }),
  created_at: Nullable(Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' })),
  updated_at: Nullable(Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' })),
  is_default: Type.Optional(Type.Boolean({ description: 'with effective=true: the default of a key never saved' })),
});
