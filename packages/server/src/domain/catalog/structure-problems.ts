import type { FileProblem } from './file-problem.ts';
import { CatalogFileSchema } from './file-schema.ts';
import { MAX_PROBLEMS } from './source.ts';

/** What file-schema.ts says things with. A test holds this reading of it against another validator's. */
type Shape = {
  type?: string | string[];
  enum?: readonly string[];
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
};

/** One path for the whole way: a catalog has hundreds of thousands of places, and few problems. */
type Walk = { path: FileProblem['path'] } & Structure;

/** `unreadable`: what is missing or of another type, so that nothing more can be said of it. */
export type Structure = { problems: FileProblem[]; unreadable: FileProblem['path'][] };

/** Where parsed data is not of the schema's shape, in words for people. */
export function checkStructure(data: unknown): Structure {
  const walk: Walk = { path: [], problems: [], unreadable: [] };
  checkShape(CatalogFileSchema as unknown as Shape, data, walk);
  return { problems: walk.problems.slice(0, MAX_PROBLEMS), unreadable: walk.unreadable };
}

function checkShape(shape: Shape, value: unknown, walk: Walk): void {
  if (walk.problems.length >= MAX_PROBLEMS) return;
  if (shape.anyOf) checkKinds(shape.anyOf, value, walk);
  else if (shape.enum) {
    if (!shape.enum.includes(value as string)) reportUnreadable(walk, `must be one of ${shape.enum.join(', ')}`);
  } else if (!isOfType(shape.type, value)) {
    reportUnreadable(walk, `must be ${[shape.type].flat().map(typeWord).join(', ')}`);
  } else if (typeof value === 'string') checkText(shape, value, walk);
  else if (typeof value === 'number') checkNumber(shape, value, walk);
  else if (Array.isArray(value)) checkList(shape, value, walk);
  else if (typeof value === 'object') checkMembers(shape, value as Record<string, unknown>, walk);
}

/** An entry of `values` is a plain value or an object: its problems are reported for the one that it is. */
function checkKinds(kinds: Shape[], value: unknown, walk: Walk): void {
  const kind = kinds.find(({ type }) => isOfType(type, value));
  if (kind) checkShape(kind, value, walk);
  else reportUnreadable(walk, 'must be a string, a number, true or false, or have a `value`');
}

function checkText({ minLength = 0, maxLength = Infinity }: Shape, text: string, walk: Walk): void {
  // Characters are counted only where the units of UTF-16 do not decide.
  if (text.length < 2 * minLength && [...text].length < minLength)
    report(walk, `must have at least ${minLength} characters`);
  if (text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength))
    report(walk, `must have at most ${maxLength} characters`);
}

function checkNumber({ minimum, maximum, exclusiveMinimum }: Shape, number: number, walk: Walk): void {
  if (minimum !== undefined && number < minimum) report(walk, `must be at least ${minimum}`);
  if (maximum !== undefined && number > maximum) report(walk, `must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum)
    report(walk, `must be more than ${exclusiveMinimum}`);
}

function checkList({ minItems = 0, maxItems = Infinity, items }: Shape, list: unknown[], walk: Walk): void {
  if (list.length < minItems) report(walk, `must have at least ${minItems} items`);
  if (list.length > maxItems) reportUnreadable(walk, `must have at most ${maxItems} items`);
  else if (items) for (const [index, item] of list.entries()) checkWithin(index, items, item, walk);
}

function checkMembers(shape: Shape, members: Record<string, unknown>, walk: Walk): void {
  const { properties = {}, required = [], patternProperties } = shape;
  for (const name of required) {
    if (members[name] !== undefined) continue;
    const path = [...walk.path, name];
    walk.problems.push({ path, message: 'is missing' });
    walk.unreadable.push(path);
  }
  for (const [name, member] of Object.entries(members)) {
    if (walk.problems.length >= MAX_PROBLEMS) return;
    if (member === undefined) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : patternProperties?.['^.*$'];
    if (known) checkWithin(name, known, member, walk);
    else walk.problems.push({ path: [...walk.path, name], message: 'is unknown', atName: true });
  }
}

function checkWithin(name: string | number, shape: Shape, value: unknown, walk: Walk): void {
  walk.path.push(name);
  checkShape(shape, value, walk);
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
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

const TYPE_WORDS: Record<string, string> = {
  object: 'a mapping',
  array: 'a list',
  string: 'a string (quote it if it looks like another type)',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function typeWord(type = ''): string {
  return TYPE_WORDS[type] ?? type;
}
