import type { Type as Typebox } from 'typebox';

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

/** A symbol, so that it is copied with a schema but not written into a document. */
export const READ_ELSEWHERE = Symbol('read elsewhere');

/** Describes what the domain reads, which has codes of its own for what is invalid: requests are not checked against it. */
export function readElsewhere<T extends object>(schema: T) {
  const copy = { ...schema, [READ_ELSEWHERE]: true };
  if (optional.has(schema)) optional.add(copy);
  return copy as unknown as ReturnType<typeof Typebox.Unknown>;
}

/** The same for each of some members. */
export function membersReadElsewhere<T extends Record<string, object>>(members: T) {
  const read = Object.entries(members).map(([name, schema]) => [name, readElsewhere(schema)]);
  return Object.fromEntries(read) as Record<keyof T, ReturnType<typeof Typebox.Unknown>>;
}

const typed =
  (type: string) =>
  (options?: Schema): Schema => ({ type, ...options });

/**
 * JSON Schemas with their TypeScript types. The types are those of typebox; the schemas are plain objects made here, because
 * typebox itself is 680 modules, a third of a second of every start.
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
  /** Says nothing in the schema itself, but in that of the object which has it. */
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
