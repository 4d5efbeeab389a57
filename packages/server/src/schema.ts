import type { TSchema, Type as Typebox } from 'typebox';
import { readUuid } from './uuid.ts';

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
const READ_ELSEWHERE = Symbol('read elsewhere');

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

/** The part of JSON Schema used to describe the catalog file and requests. A test compares it with another validator. */
type Shape = {
  type?: string | string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  patternProperties?: { '^.*$': Shape };
  items?: Shape;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
  [READ_ELSEWHERE]?: true;
};

type Path = (string | number)[];

/** `atName`: the name itself is wrong; `allowed` lists the valid ones. */
type ShapeProblem = { path: Path; message: string; atName?: true; allowed?: readonly unknown[] };

/** `unreadable`: paths that are missing or have the wrong type, so nothing inside them was checked. */
export type Structure = { problems: ShapeProblem[]; unreadable: Path[] };

export type TypeWords = Record<'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null', string>;

/** `isPlain`: texts go to a database, which rejects NUL characters and unpaired surrogates. */
type Reading = { max: number; words?: TypeWords; isPlain?: boolean };

/** One path for the whole walk: a catalog has hundreds of thousands of nodes and few problems. */
type Walk = { path: Path } & Required<Reading> & Structure;

export const TYPE_WORDS: TypeWords = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

/** Lists where parsed data does not match the schema, in plain English; at most `max` problems. */
export function checkShape(
  schema: object,
  data: unknown,
  { max, words = TYPE_WORDS, isPlain = false }: Reading,
): Structure {
  const walk: Walk = { path: [], problems: [], unreadable: [], max, words, isPlain };
  check(schema, data, walk);
  return { problems: walk.problems.slice(0, max), unreadable: walk.unreadable };
}

function check(shape: Shape, value: unknown, walk: Walk): void {
  if (walk.problems.length >= walk.max || shape[READ_ELSEWHERE]) return;
  if (shape.anyOf) checkKinds(shape.anyOf, value, walk);
  else if (shape.enum) checkChoice(shape.enum, value, walk);
  else if (shape.const !== undefined) {
    if (value !== shape.const) reportUnreadable(walk, `must be ${JSON.stringify(shape.const)}`);
  } else if (shape.type === undefined) return;
  else if (!isOfType(shape.type, value)) reportUnreadable(walk, `must be ${typeWords([shape], walk)}`);
  else if (typeof value === 'string') checkText(shape, value, walk);
  else if (typeof value === 'number') checkNumber(shape, value, walk);
  else if (Array.isArray(value)) checkList(shape, value, walk);
  else if (typeof value === 'object' && value !== null) checkMembers(shape, value as Record<string, unknown>, walk);
}

/** For a union, reports only the problems of the alternative that the value appears to be. */
function checkKinds(kinds: Shape[], value: unknown, walk: Walk): void {
  const kind = kinds.find((each) => (each.enum ? each.enum.includes(value) : isOfType(each.type, value)));
  if (kind) check(kind, value, walk);
  else if (kinds.some((each) => each.enum))
    checkChoice(
      kinds.flatMap((each) => each.enum ?? [null]),
      value,
      walk,
    );
  else reportUnreadable(walk, `must be ${typeWords(kinds, walk)}`);
}

function checkChoice(allowed: readonly unknown[], value: unknown, walk: Walk): void {
  if (allowed.includes(value)) return;
  walk.problems.push({ path: [...walk.path], message: `must be one of ${allowed.join(', ')}`, allowed });
  walk.unreadable.push([...walk.path]);
}

function checkText({ minLength = 0, maxLength = Infinity, format }: Shape, text: string, walk: Walk): void {
  // Count characters only when the length in UTF-16 code units leaves it open.
  if (text.length < 2 * minLength && [...text].length < minLength)
    report(walk, `must have at least ${minLength} characters`);
  if (text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength))
    report(walk, `must have at most ${maxLength} characters`);
  if (format === 'uuid' && readUuid(text) === undefined) report(walk, 'must be a UUID');
  if (walk.isPlain && (text.includes('\u0000') || !text.isWellFormed())) report(walk, 'contains invalid characters');
}

function checkNumber({ minimum, maximum, exclusiveMinimum }: Shape, number: number, walk: Walk): void {
  if (minimum !== undefined && number < minimum) report(walk, `must be at least ${minimum}`);
  if (maximum !== undefined && number > maximum) report(walk, `must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum)
    report(walk, `must be more than ${exclusiveMinimum}`);
}

function checkList({ minItems = 0, maxItems = Infinity, items }: Shape, list: unknown[], walk: Walk): void {
  if (list.length < minItems) report(walk, `must have at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`);
  if (list.length > maxItems) reportUnreadable(walk, `must have at most ${maxItems} items`);
  else if (items) for (const [index, item] of list.entries()) checkWithin(index, items, item, walk);
}

function checkMembers(shape: Shape, members: Record<string, unknown>, walk: Walk): void {
  const { properties = {}, required = [], patternProperties } = shape;
  for (const name of required) {
    if (members[name] !== undefined || properties[name]?.[READ_ELSEWHERE]) continue;
    const path = [...walk.path, name];
    walk.problems.push({ path, message: 'is missing' });
    walk.unreadable.push(path);
  }
  for (const [name, member] of Object.entries(members)) {
    if (walk.problems.length >= walk.max) return;
    if (member === undefined) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : patternProperties?.['^.*$'];
    if (known) checkWithin(name, known, member, walk);
    else {
      const allowed = Object.keys(properties);
      walk.problems.push({ path: [...walk.path, name], message: 'is unknown', atName: true, allowed });
    }
  }
}

function checkWithin(name: string | number, shape: Shape, value: unknown, walk: Walk): void {
  walk.path.push(name);
  check(shape, value, walk);
  walk.path.pop();
}

function reportUnreadable(walk: Walk, message: string): void {
  report(walk, message);
  walk.unreadable.push([...walk.path]);
}

function report({ path, problems }: Walk, message: string): void {
  problems.push({ path: [...path], message });
}

function isOfType(type: Shape['type'], value: unknown): boolean {
  return Array.isArray(type) ? type.some((one) => isOfOneType(one, value)) : isOfOneType(type, value);
}

function isOfOneType(type: string | undefined, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

function typeWords(kinds: Shape[], { words }: Walk): string {
  const all = kinds.flatMap(({ type = [] }) => type).map((type) => words[type as keyof TypeWords]);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}
