import { EXAMPLE } from '../packages/server/src/http/docs/examples.ts';
import type { ResolvedDocument, ResolvedOperation } from '../packages/server/test/http/documented-answers.ts';

/** What to send; `{{…}}` are placeholders. */
export type HostileRequest = {
  title: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** Node limits all headers together to 16 KiB. */
const HEADER = 15_000;
/** Just below the maximum body in bytes: 64 KiB, and 32 MiB for a catalog or a file of texts. */
const BODY = 64_000;
const UPLOAD = 30_000_000;

/** Repeated, each of these has cost some parser or pattern more than its length. */
const UNITS = [
  ' ',
  ' ;',
  'a b',
  ',',
  '-eyJ',
  '://:',
  'a-',
  '"',
  '\\',
  '%41',
  '=',
  '0',
  '9',
  '.',
  '@',
  '[',
  'st_1_',
  'W/"a",',
  '1e9',
];
/** In bodies, also what no header can contain. */
const WIDE = ['😀', '\u0000', '\n'];
const HEADERS = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'user-agent',
    'authorization',
    'cookie',
    'if-none-match',
    'if-match',
    'origin',
  ],
  ...[
    'referer',
    'forwarded',
    'x-forwarded-for',
    'content-type',
    'idempotency-key',
    'x-request-id',
    'apikey',
    'range',
    'traceparent',
  ],
];
const FORM = 'application/x-www-form-urlencoded';
const STATIC = ['/docs', '/openapi.json', '/llms.txt', '/guide/', '/portal', '/livez', '/readyz', '/metrics'];

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** A text that fits into a body as JSON, with what surrounds it. */
function fillBody(unit: string): string {
  return unit.repeat(Math.floor((BODY - 2_000) / (Buffer.byteLength(JSON.stringify(unit)) - 2)));
}

/** What many parsers compare with each other: parts that are all different. */
const PARTS = `de-u${Array.from({ length: BODY / 8 }, (_, at) => `-a${String(at).padStart(6, '0')}`).join('')}`;
const DIFFERENT = { text: PARTS.slice(0, BODY - 2_000), called: 'a language tag of thousands of parts' };
/** Quadratic to normalise. */
const MARKS = '\u0301\u0316';

type DocumentedOperation = { path: string; method: string; operation: ResolvedOperation };

/**
 * Every header, every parameter, every field of every body and every upload, of every operation in the document: new operations are
 * included automatically.
 */
export function listHostile(document: ResolvedDocument): HostileRequest[] {
  const operations: DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const [first] = operations;
  const all: HostileRequest[] = [];
  for (const [at, header] of HEADERS.entries()) {
    for (const [index, unit] of UNITS.entries()) {
      // Each header with each content, at a page and at an operation, in turn.
      const page = STATIC[(at + index) % STATIC.length] as string;
      const { path, method } =
        operations[(at * UNITS.length + index) % operations.length] ?? (first as (typeof operations)[0]);
      const value = `a${fill(unit, HEADER)}b`;
      all.push({ title: `${header} of ${unit} at ${page}`, method: 'GET', path: page, headers: { [header]: value } });
      all.push({ title: `${header} of ${unit} at ${path}`, method, path, headers: { [header]: value } });
    }
  }
  for (const [at, { path, method, operation }] of operations.entries()) {
    const content = Object.entries(operation.requestBody?.content ?? {})[0];
    const example = Object.values(content?.[1]?.examples ?? {})[0]?.value;
    if (!content || example === undefined) continue;
    const add = (title: string, body: string) =>
      all.push({ title: `${method} ${path} ${title}`, method, path, headers: { 'content-type': content[0] }, body });
    const hostile = [DIFFERENT, { text: fillBody(MARKS), called: 'combining marks' }];
    for (const [index, member] of textsIn(example).entries()) {
      const unit = [...WIDE, ...UNITS][(at + index) % (WIDE.length + UNITS.length)] as string;
      for (const { text, called } of [...hostile, { text: fillBody(unit), called: JSON.stringify(unit) }]) {
        add(`${member.join('.')} of ${called}`, JSON.stringify(withText(example, member, text)));
      }
    }
    for (const member of objectsIn(example)) {
      for (const { text, called } of hostile) {
        const body = JSON.stringify(withText(example, [...member, text], 'text'));
        add(`a member of ${member.join('.') || 'the body'} named ${called}`, body);
      }
    }
    for (const member of listsIn(example)) {
      add(`${member.join('.')} with many items`, JSON.stringify(withMany(example, member)));
    }
    for (const [name, body] of [
      ['lists', fill('[', BODY)],
      ['members', `{${fill('"a":1,', BODY)}`],
      ['different members', `{${Array.from({ length: BODY / 10 }, (_, at) => `"a${at}":1`).join(',')}}`],
    ] as const) {
      add(`of ${name}`, body);
    }
    if (FORM in (operation.requestBody?.content ?? {})) {
      for (const [name, body] of [
        ['fields', fill('a=b&', BODY)],
        ['different fields', Array.from({ length: BODY / 10 }, (_, at) => `a${at}=b`).join('&')],
        ['escapes', `token=${fill('%41', BODY)}`],
      ] as const) {
        all.push({ title: `${method} ${path} of ${name}`, method, path, headers: { 'content-type': FORM }, body });
      }
    }
  }
  return [...all, ...operations.flatMap(listQueries), ...listPaths(), ...listUploads(), ...listSaves()];
}

/** Node limits the address like a header. */
function listQueries({ path, method, operation }: DocumentedOperation, at: number): HostileRequest[] {
  const named = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return named.flatMap(({ name }, index) => {
    const unit = [...WIDE, ...UNITS][(at + index) % (WIDE.length + UNITS.length)] as string;
    const queries: [string, string][] = [
      ...[MARKS, unit].map((unit): [string, string] => {
        const encoded = encodeURIComponent(unit);
        return [JSON.stringify(unit), `${name}=${encoded.repeat(Math.floor(HEADER / encoded.length))}`];
      }),
      [DIFFERENT.called, `${name}=${DIFFERENT.text.slice(0, HEADER)}`],
      ['many', fill(`${name}=a.b%3Dc&`, HEADER)],
    ];
    return queries.map(([called, query]) => ({
      ...{ title: `${method} ${path} query ${name} of ${called}`, method, path: `${path}?${query}`, headers: {} },
    }));
  });
}

/** A path that no route has is compared with every method's routes. */
function listPaths(): HostileRequest[] {
  const segments = [...WIDE, ...UNITS].map(encodeURIComponent).flatMap((unit) => [`/${unit}`, unit]);
  const all = [...new Set(['/', '/%', '/%e0', '/%41', '%', '%e0', ...segments])];
  return ['', '/api/v2/app', '/manage/v1/applications'].flatMap((start) =>
    all.map((unit) => ({
      ...{ title: `path ${start}/ of ${unit}`, method: 'GET', headers: {} },
      path: `${start}/a${unit.repeat(Math.floor((HEADER - start.length) / unit.length))}`,
    })),
  );
}

function listUploads(): HostileRequest[] {
  const catalog = '/manage/v1/applications/{clientId}/catalog';
  const keys = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ name: `k${at}`, type: 'string', default: fill('a', 700) },
      constraint: { pattern: `${at}|${COSTLY_PATTERN}`.slice(0, 999), max_length: 800 },
    }));
  const languages = [{ name: 'English', tag: 'en' }];
  const files: [string, string][] = [
    ['columns', `path,${fill(',', 3_000_000)}\n`],
    ['rows', `path,English\n${fill('g/k,a\n', 1_600_000)}`],
    ['empty rows', `path,English\n${fill('\n', UPLOAD)}`],
    ['quotes', `path,English\n${fill('"', UPLOAD)}`],
    [
      'attributes',
      `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" trgLang="en"${Array.from({ length: 200_000 }, (_, at) => ` a${at}=""`).join('')}/>`,
    ],
    [
      'elements',
      `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" trgLang="en">${fill('<a>', 5_000_000)}`,
    ],
    [
      'entities',
      `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" trgLang="en">${fill('&amp;', UPLOAD)}`,
    ],
  ];
  const catalogs: [string, string][] = [
    ['patterns and long defaults', JSON.stringify({ languages, groups: [{ name: 'g', keys: keys(30) }] })],
    ['groups', JSON.stringify({ languages, groups: Array.from({ length: 9_000 }, (_, at) => ({ name: `g${at}` })) })],
    ['objects', `{"groups":[${fill('{},', UPLOAD)}]}`],
    ['depth', fill('[', UPLOAD)],
    ['text', JSON.stringify({ languages: fill('a', UPLOAD) })],
  ];
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  return [
    ...files.flatMap(([name, file]) =>
      ['preview', 'import'].map((verb) => ({
        title: `${verb} of ${name}`,
        method: 'POST',
        path: `${catalog}/translations/${verb}`,
        headers,
        body: JSON.stringify({ file }),
      })),
    ),
    ...catalogs.flatMap(([name, body]) => [
      { title: `plan of ${name}`, method: 'POST', path: `${catalog}/plan`, headers, body },
      { title: `draft of ${name}`, method: 'PUT', path: `${catalog}/draft`, headers, body },
    ]),
  ];
}

/** Saves of long texts for a key with the most expensive pattern that a catalog may have. */
function listSaves(): HostileRequest[] {
  const headers = { 'content-type': 'application/json' };
  const choice = { option_group_uid: '{{patternGroupUid}}', option_key_uid: '{{patternKeyUid}}' };
  const value = Array.from({ length: 40 }, (_, at) => `${fill('a', 790)}${at}`);
  const user = [{ user_uid: EXAMPLE.userCode }, { access_token: EXAMPLE.accessToken }, { user_uid: NOBODY }];
  return user.flatMap((who) => [
    {
      ...{ title: `save against a pattern, ${Object.keys(who)}`, method: 'POST', path: '/api/user_options', headers },
      body: JSON.stringify({ ...who, ...choice, value }),
    },
    {
      ...{
        title: `many saves against a pattern, ${Object.keys(who)}`,
        method: 'PUT',
        path: '/api/user_options',
        headers,
      },
      body: JSON.stringify({ ...who, options: [{ ...choice, value }] }),
    },
  ]);
}

const NOBODY = '00000000-0000-4000-8000-000000000000';
export const COSTLY_PATTERN = `.*a${'((.{9}){10}){11}'.repeat(4)}`;

/**
 * Every operation that reads or changes a whole catalog, on an application with one of the largest; `body` is that
 * catalog.
 */
export function listLarge(name: string, catalog: object): HostileRequest[] {
  const path = '/manage/v1/applications/{clientId}';
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const body = JSON.stringify(catalog);
  const { groups, ...rest } = catalog as { groups: { name: string }[] };
  const renamed = JSON.stringify({ ...rest, groups: groups.map((group) => ({ ...group, name: `new ${group.name}` })) });
  const requests: [string, string, string?][] = [
    ...['/catalog', '/catalog/tree', '/catalog/types', '/catalog/languages', '/catalog/translations', '/overview'].map(
      (read): [string, string] => ['GET', read],
    ),
    ['GET', '/catalog/translations/export?format=csv'],
    ['GET', '/catalog/translations/export?format=xliff&language=xab'],
    ['POST', '/catalog/plan', body],
    ['POST', '/catalog/plan', renamed],
    ['POST', '/catalog/groups?draft=true', JSON.stringify({ name: 'one more' })],
    ['GET', '/catalog/draft'],
    ['PUT', '/catalog/draft', renamed],
    ['GET', '/catalog/draft'],
    ['POST', '/catalog/draft/undo'],
    ['POST', '/catalog/draft/redo'],
    ['POST', '/catalog/draft/publish?allow_breaking=true', '{}'],
    ['GET', '/revisions'],
    ['GET', '/revisions/1'],
    ['GET', '/revisions/compare?from=1&to=2'],
    ['POST', '/revisions/1/restore?allow_breaking=true', '{}'],
  ];
  return requests.map(([method, to, sent]) => ({
    ...{ title: `${method} ${to} with many ${name}`, method, path: path + to, headers },
    ...(sent !== undefined && { body: sent }),
  }));
}

type Member = (string | number)[];

function textsIn(value: unknown, path: Member = []): Member[] {
  if (typeof value === 'string') return [path];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, [...path, name]));
}

function objectsIn(value: unknown, path: Member = []): Member[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.entries(value).flatMap(([name, each]) => objectsIn(each, [...path, name]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

function listsIn(value: unknown, path: Member = []): Member[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.entries(value).flatMap(([name, each]) => listsIn(each, [...path, name]));
  return Array.isArray(value) && value.length > 0 ? [path, ...inner] : inner;
}

/** The first item of a list, as often as the body can hold it. */
function withMany(value: unknown, [name, ...rest]: Member): unknown {
  if (name === undefined) {
    const [first] = value as unknown[];
    return Array.from({ length: Math.floor((BODY - 2_000) / (JSON.stringify(first).length + 1)) }, () => first);
  }
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = withMany(copy[name], rest);
  return copy;
}

function withText(value: unknown, [name, ...rest]: Member, text: string): unknown {
  if (name === undefined) return text;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = withText(copy[name], rest, text);
  return copy;
}

export type Stage = Record<'clientId' | 'clientSecret' | 'userCode' | 'groupUid' | 'keyUid' | 'accessToken', string> & {
  /** A key with an expensive pattern. */
  pattern: { groupUid: string; keyUid: string };
};

/** The names in the examples, and their values here. */
export function standIns({ pattern, ...stage }: Stage): [string, string][] {
  return [
    ...(Object.keys(stage) as (keyof typeof stage)[]).map((name): [string, string] => [EXAMPLE[name], stage[name]]),
    ['{{patternGroupUid}}', pattern.groupUid],
    ['{{patternKeyUid}}', pattern.keyUid],
  ];
}
