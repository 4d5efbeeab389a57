import { expect, test } from 'vitest';
import { Type } from '../src/schema.ts';

type Builder = typeof Type;

const samples: [string, (type: Builder) => unknown][] = [
  ['scalars', (type) => [type.Boolean(), type.Integer({ minimum: 1 }), type.Null(), type.Number(), type.String()]],
  ['literals', (type) => [type.Literal('a'), type.Literal(1), type.Literal(true, { description: 'yes' })]],
  ['lists', (type) => [type.Array(type.String(), { maxItems: 2 }), type.Enum(['a', 'b'], { default: 'a' })]],
  ['records', (type) => type.Record(type.String(), type.Null(), { description: 'by name' })],
  ['unions', (type) => type.Union([type.String(), type.Null()], { description: 'or nothing' })],
  ['anything', (type) => [type.Unknown(), type.Unsafe<string | number>({ type: ['string', 'number'] })]],
  ['objects', (type) => type.Object({ a: type.String(), b: type.Optional(type.String()) }, { title: 'One' })],
  ['objects without a must', (type) => [type.Object({}), type.Object({ a: type.Optional(type.Null()) })]],
];

// Types come from typebox, schemas from here: both must be the same, in the same order.
test.for(samples)('%s equal those of typebox', async ([, make]) => {
  const { Type: typebox } = await import('typebox');
  expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(typebox)));
});

test('a schema does not become optional for others through one use', () => {
  const text = Type.String();
  Type.Object({ text: Type.Optional(text) });
  expect(Type.Object({ text })).toMatchObject({ required: ['text'] });
});
