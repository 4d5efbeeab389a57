import { type Static, Type } from '../../schema.ts';
import { VALUE_TYPES } from './catalog.ts';
import { MAX_TAG } from './languages.ts';

const NAME = { minLength: 1, maxLength: 255 };
export const TEXT_LIMIT = 2_000;
const VALUE_LIMIT = 1_000;

const Translations = Type.Record(Type.String(), Type.String({ maxLength: TEXT_LIMIT }), {
  description: 'text by language, by name as in `languages` or by tag',
});

const Descriptions = Type.Record(Type.String(), Type.String({ maxLength: TEXT_LIMIT }), {
  description: 'help text by language',
});

const Scalar = Type.Unsafe<boolean | string | number>({
  type: ['boolean', 'string', 'number'],
  maxLength: VALUE_LIMIT,
});

const Value = Type.Object(
  {
    value: Scalar,
    translations: Type.Optional(Translations),
    retired: Type.Optional(Type.Boolean({ description: 'kept by users who already have it, refused for others' })),
    replacement: Type.Optional(
      Type.Unsafe<boolean | string | number>({ ...Scalar, description: 'suggested replacement of a retired value' }),
    ),
  },
  { additionalProperties: false },
);

/** Maximum groups, and keys per group: no one chooses among so many. */
const MAX_ITEMS = 10_000;

const Constraint = Type.Object(
  {
    min: Type.Optional(Type.Unsafe<number | string>({ type: ['number', 'string'], description: 'number or date' })),
    max: Type.Optional(Type.Unsafe<number | string>({ type: ['number', 'string'], description: 'number or date' })),
    step: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'counted from `min`, or from 0' })),
    pattern: Type.Optional(Type.String({ maxLength: 1000, description: 'RE2 syntax; the whole text must match' })),
    max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 4000, description: 'in characters' })),
  },
  { additionalProperties: false, description: 'constraint of an open key' },
);

const Key = Type.Object(
  {
    name: Type.String(NAME),
    was: Type.Optional(
      Type.String({
        description: 'the previous name: renames the key; `group/name` moves it from another group',
      }),
    ),
    type: Type.Enum([...VALUE_TYPES], { description: 'type of the values; dates are YYYY-MM-DD' }),
    multiple: Type.Optional(Type.Boolean({ default: false, description: 'multiple choice' })),
    min: Type.Optional(Type.Integer({ minimum: 0, description: 'minimum number of values, with `multiple`' })),
    max: Type.Optional(Type.Integer({ minimum: 1, description: 'maximum number of values, with `multiple`' })),
    default: Type.Optional(
      Type.Unsafe<boolean | string | number | (boolean | string | number)[]>({
        type: ['boolean', 'string', 'number', 'array'],
        items: { type: ['boolean', 'string', 'number'] },
        maxItems: 2000,
        description: 'used until a user chooses; a list with `multiple`',
      }),
    ),
    values: Type.Optional(
      Type.Array(Type.Unsafe<boolean | string | number | Static<typeof Value>>({ anyOf: [Scalar, Value] }), {
        minItems: 1,
        maxItems: 2000,
        description: 'allowed values, in order; without them the key is open (a boolean has true and false)',
      }),
    ),
    constraint: Type.Optional(Constraint),
    translations: Type.Optional(Translations),
    descriptions: Type.Optional(Descriptions),
  },
  { additionalProperties: false },
);

const Group = Type.Object(
  {
    name: Type.String(NAME),
    was: Type.Optional(Type.String({ description: 'the previous name: renames the group' })),
    translations: Type.Optional(Translations),
    descriptions: Type.Optional(Descriptions),
    keys: Type.Optional(Type.Array(Key, { maxItems: MAX_ITEMS })),
  },
  { additionalProperties: false },
);

const Language = Type.Object(
  {
    name: Type.String({ ...NAME, description: 'in the language itself: Deutsch, Español' }),
    tag: Type.String({ minLength: 2, maxLength: MAX_TAG, description: 'BCP 47: de, es, pt-BR' }),
    default: Type.Optional(Type.Boolean({ description: 'used for requests without a language; by default the first' })),
  },
  { additionalProperties: false },
);

/** The catalog file. The same schema checks it, types it, and is published for editors. */
export const CatalogFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'URL of this schema, for editors' })),
    languages: Type.Array(Language, { maxItems: 200, description: 'at least one, unless there are no groups' }),
    groups: Type.Array(Group, { maxItems: MAX_ITEMS }),
  },
  { additionalProperties: false, title: 'Innkeeper catalog' },
);

export type CatalogFile = Static<typeof CatalogFileSchema>;
export type FileGroup = Static<typeof Group>;
export type FileKey = Static<typeof Key>;
export type FileValue = Static<typeof Value>;

/** The published form: plain JSON, for editors. */
export function catalogJsonSchema(): Record<string, unknown> {
  const schema = JSON.parse(JSON.stringify(CatalogFileSchema)) as Record<string, unknown>;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
}
