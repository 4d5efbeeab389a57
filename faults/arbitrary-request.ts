import fc, { type Arbitrary } from 'fast-check';
import type { ResolvedDocument, ResolvedOperation } from '../packages/server/test/http/documented-answers.ts';

type Schema = Record<string, unknown>;
/** A generated request. Its placeholders (`{{clientId}}`) are filled in for each database. */
export type FuzzedRequest = {
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** Things that exist on every database, with different values. */
export const STAND_INS = [
  'clientId',
  'clientSecret',
  'specialToken',
  'accessToken',
  'userCode',
  'groupUid',
  'keyUid',
  'manageToken',
] as const;
export type StandIns = Record<(typeof STAND_INS)[number], string>;
const standIn = fc.constantFrom(...STAND_INS.map((name) => `{{${name}}}`));

/** Texts that have caused trouble somewhere. */
const oddText = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '%00',
    '%',
    '../..',
    "' or 1=1 --",
    '"',
    '\\',
    '\r\nx: y',
    '＜',
    '𝒳'.repeat(100),
    'a'.repeat(300),
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '1e400',
    '-0',
    '9007199254740993',
    '2025-02-30',
  ],
);
const text: Arbitrary<string> = fc.oneof(
  standIn,
  oddText,
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.uuid(),
  fc.emailAddress(),
);
const odd: Arbitrary<unknown> = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
);

/** An arbitrary request of any operation: valid by its schema, nearly valid, or far from it. */
export function arbitraryRequest(document: ResolvedDocument): Arbitrary<FuzzedRequest> {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ofOperation(document, path, method.toUpperCase(), operation)),
  );
  return fc.oneof(...all);
}

function ofOperation(
  document: ResolvedDocument,
  path: string,
  method: string,
  operation: ResolvedOperation,
): Arbitrary<FuzzedRequest> {
  const named = operation.parameters ?? [];
  const pathValues = fc.tuple(
    ...[...path.matchAll(/\{(\w+)\}/g)].map(() =>
      fc.oneof({ weight: 3, arbitrary: standIn }, { weight: 2, arbitrary: text }),
    ),
  );
  const query = fc.dictionary(
    fc.oneof(fc.constantFrom('x', ...named.filter((each) => each.in === 'query').map(({ name }) => name)), oddText),
    text,
    { maxKeys: 4 },
  );
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content
    ? bodyOf(
        document,
        content.schema,
        Object.values(content.examples ?? {}).map(({ value }) => value),
      )
    : fc.constant(undefined);
  return fc
    .record({ pathValues, query, body, credentials, more: moreHeaders })
    .map(({ pathValues, query, body, credentials, more }) => {
      let at = 0;
      const filled = path.replaceAll(/\{\w+\}/g, () => encode(pathValues[at++] ?? ''));
      const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
      return {
        operation: operation.operationId,
        method,
        path: search.length > 0 ? `${filled}?${search.join('&')}` : filled,
        headers: { ...(type !== undefined && { 'content-type': type }), ...credentials, ...more },
        ...(body !== undefined && { body }),
      };
    });
}

/** Placeholders stay readable; unpaired surrogates cannot be sent. */
function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replaceAll(/%7B%7B(\w+)%7D%7D/g, '{{$1}}');
}

const credentials: Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  {},
  { apikey: '{{clientId}}' },
  { apikey: '{{clientId}}', authorization: 'Bearer {{accessToken}}' },
  { apikey: '{{clientId}}', authorization: 'Basic {{clientId}}:{{clientSecret}}' },
  { authorization: 'Bearer {{manageToken}}' },
  { authorization: 'Bearer {{manageToken}}', 'if-match': '*' },
  { authorization: 'Basic !!!', apikey: 'x' },
);
const moreHeaders: Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { 'accept-language': 'de;q=0.5, *;q=x' },
  { 'if-none-match': '"", W/"x", *' },
  { 'idempotency-key': 'a' },
  { 'if-match': '"1"' },
  { 'accept-encoding': 'br', range: 'bytes=0-1' },
);

function bodyOf(document: ResolvedDocument, schema: Schema, examples: unknown[]): Arbitrary<string> {
  const bySchema = ofSchema(document, schema, 4).map((value) => JSON.stringify(value) ?? '');
  const byExample = examples.length > 0 ? fc.constantFrom(...examples).chain((example) => mutated(example)) : bySchema;
  return fc.oneof(
    { weight: 4, arbitrary: bySchema },
    { weight: 4, arbitrary: byExample },
    { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value) ?? '') },
    {
      weight: 1,
      arbitrary: fc.oneof(
        oddText,
        fc.string(),
        fc.constantFrom('{', '[', '{"a":1,"a":2}', `${'['.repeat(40)}${']'.repeat(40)}`),
      ),
    },
  );
}

/** An example with one member replaced. */
function mutated(example: unknown): Arbitrary<string> {
  if (example === null || typeof example !== 'object' || Array.isArray(example))
    return fc.constant(JSON.stringify(example) ?? '');
  const names = [...Object.keys(example), 'extra'];
  return fc
    .tuple(fc.constantFrom(...names), fc.option(odd))
    .map(([name, value]) => JSON.stringify({ ...example, [name]: value }));
}

function ofSchema(document: ResolvedDocument, schema: Schema, depth: number): Arbitrary<unknown> {
  const {
    $ref,
    anyOf,
    oneOf,
    enum: choices,
    properties,
    required = [],
    items,
    type,
  } = schema as Schema & {
    $ref?: string;
    anyOf?: Schema[];
    oneOf?: Schema[];
    enum?: unknown[];
    properties?: Record<string, Schema>;
    required?: string[];
    items?: Schema;
  };
  if (depth === 0) return odd;
  const inner = (part: Schema) => ofSchema(document, part, depth - 1);
  if ($ref !== undefined) return inner(document.components.schemas[$ref.split('/').at(-1) as string] ?? {});
  const some = anyOf ?? oneOf;
  if (some) return fc.oneof(...some.map(inner));
  if ('const' in schema) return fc.constant(schema.const);
  if (choices) return fc.oneof(fc.constantFrom(...choices), text);
  if (properties) {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [
        name,
        fc.oneof({ weight: 9, arbitrary: inner(part) }, { weight: 1, arbitrary: odd }),
      ]),
    );
    return fc.record(members, { requiredKeys: required.filter((name) => name in members) });
  }
  if (type === 'array') return fc.array(items ? inner(items) : odd, { maxLength: 4 });
  if (type === 'string') return text;
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  if (type === 'boolean') return fc.boolean();
  return odd;
}
