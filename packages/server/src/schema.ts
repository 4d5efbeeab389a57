import type { TSchema, Type as Typebox } from 'typebox';

export type { Static, TObject, TProperties, TSchema } from 'typebox';

type Schema = Record<string, unknown>;
type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

const optional = new WeakSet<object>();

/** A symbol, so that copies of a schema keep it but JSON documents do not contain it. */
export const READ_ELSEWHERE = Symbol('read elsewhere');

/** Marks a schema as documentation only: the domain reads this part and has its own error codes for it. */
export function readElsewhere<T extends object>(schema: T) {
  const copy = { ...schema, [READ_ELSEWHERE]: true };
  if (optional.has(schema)) optional.add(copy);
  return copy as unknown as ReturnType<typeof Typebox.Unknown>;
}

/** Marks each of several members as read elsewhere. */
export function membersReadElsewhere<T extends Record<string, object>>(members: T) {
  const read = Object.entries(members).map(([name, schema]) => [name, readElsewhere(schema)]);
  return Object.fromEntries(read) as Record<keyof T, ReturnType<typeof Typebox.Unknown>>;
}

const typed =
  (type: string) =>
  (options?: Schema): Schema => ({ type, ...options });

/**
 * JSON Schemas with their TypeScript types. The types are typebox's; the schemas are plain objects made here, because
 * loading typebox means 680 modules and a third of a second at every start.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: typed('boolean'),
  Enum: (values: unknown[], options?: Schema) => ({ enum: values, ...options }),
  Integer: typed('integer'),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: typed('null'),
  Number: typed('number'),
  Object: (properties: Record<string, Schema>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as Schema));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  /** Changes nothing in the schema itself, only `required` of the object that contains it. */
  Optional: (schema: Schema) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Record: (_name: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: typed('string'),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Pick<typeof Typebox, Used>;

export const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);

/** The response of 304. */
export const NotModified = Type.Null({ description: 'Not modified.' });
