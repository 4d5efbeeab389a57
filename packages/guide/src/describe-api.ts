import type { Content, OpenApi, Operation, Parameter, Reference, ResponseObject, Schema } from './openapi.ts';
import type { Source } from './section.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Depth of nested fields in tables; deeper ones appear only in the example. */
const DEPTH = 3;

/** The title of each part of the API, and which operations are on its page. */
const PAGES: [path: string, title: string, takes: (tag: string, path: string) => boolean][] = [
  ['users', 'Users', (tag) => tag === 'users'],
  ['options', 'Profile options', (tag) => tag === 'options'],
  ['tokens', 'Tokens (OAuth 2.0)', (tag) => tag === 'tokens'],
  ['events', 'Events', (tag) => tag === 'events'],
  [
    'manage-applications',
    'Manage: applications',
    under(/^\/applications(\/\{clientId\})?(\/(secrets|members|invitations|preference-page-colors)\b.*)?$/),
  ],
  ['manage-catalog', 'Manage: catalog', under(/\/catalog(?!\/(translations|draft))|^\/languages/)],
  ['manage-texts', 'Manage: drafts and texts', under(/\/catalog\/(translations|draft)/)],
  ['manage-revisions', 'Manage: revisions', under(/\/revisions/)],
  ['manage-users', 'Manage: users', under(/\/applications\/\{clientId\}\/users/)],
  ['manage-webhooks', 'Manage: webhooks', under(/\/webhooks/)],
  ['manage-account', 'Manage: accounts and tokens', under(/^\/(session|account|tokens)/)],
  ['manage-insights', 'Manage: insights, activity and audit', under(/./)],
  ['operations', 'Health and metrics', (tag) => tag === 'operations'],
];

function under(path: RegExp) {
  return (tag: string, whole: string): boolean => tag === 'manage' && path.test(whole.replace('/manage/v1', ''));
}

/** API reference pages as Markdown: each operation with its parameters, responses and examples. */
export function describeApi(api: OpenApi): Source[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      const page = operation && PAGES.find(([, , takes]) => takes(operation.tags[0] ?? '', path));
      return operation && page ? [{ page, text: describeOperation(api, method.toUpperCase(), path, operation) }] : [];
    }),
  );
  return PAGES.map((page) => ({
    path: `api/${page[0]}`,
    file: `docs/api/${page[0]}.md`,
    title: page[1],
    markdown: [
      `# ${page[1]}`,
      `${aboutOf(api, page[0])} Generated from [openapi.json](../openapi.json); the explorer at \`/docs\` sends these requests from the browser. Any request can also return the [errors of every path](../errors.md#everything-else).`,
      ...operations.filter((each) => each.page === page).map(({ text }) => text),
    ].join('\n\n'),
  }));
}

function aboutOf({ tags }: OpenApi, page: string): string {
  return tags.find(({ name }) => page.startsWith(name))?.description ?? '';
}

function describeOperation(api: OpenApi, method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const byStatus = Object.entries(responses).map(([status, response]) => [status, resolve(api, response)] as const);
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description,
    describeSecurity(operation),
    table(
      ['parameter', 'in', 'type', 'notes'],
      parameters.map((each) => parameterRow(api, each)),
    ),
    content && `**Body**${type === 'application/json' ? '' : `, \`${type}\``}`,
    table(['field', 'type', 'notes'], fieldRows(api, content?.schema)),
    exampleBlock(api, content),
    ...byStatus.filter(([status]) => status < '4').map(([status, response]) => describeResponse(api, status, response)),
    describeErrors(byStatus),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function describeSecurity({ security }: Operation): string {
  const ways = security.map((each) =>
    Object.keys(each)
      .map((name) => `\`${name}\``)
      .join(' with '),
  );
  return ways.filter(Boolean).length > 0 ? `Credentials: ${ways.map((way) => way || 'none').join(', or ')}.` : '';
}

function parameterRow(api: OpenApi, { name, in: place, required, description, schema }: Parameter): string[] {
  return [`\`${name}\``, place, typeOf(api, schema), note(required ? 'required' : '', description ?? '')];
}

function describeResponse(api: OpenApi, status: string, { content = {} }: ResponseObject): string {
  const [type, first] = Object.entries(content)[0] ?? [];
  if (!first) return `**Response ${status}**, without a body`;
  return [
    `**Response ${status}**${type === 'application/json' ? '' : `, \`${type}\``}`,
    table(['field', 'type', 'notes'], fieldRows(api, first.schema)),
    type === 'application/json' ? exampleBlock(api, first) : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Each code once, with a link to its fix. */
function describeErrors(byStatus: (readonly [string, ResponseObject])[]): string {
  const rows = byStatus.flatMap(([status, { description }]) =>
    status < '4'
      ? []
      : [...description.matchAll(/^- `(\d{4})` (.+)$/gm)].map(([, code, message]) => [
          `[${code}](../errors.md#${code})`,
          status,
          message ?? '',
        ]),
  );
  return rows.length === 0 ? '' : `**Errors**\n\n${table(['code', 'HTTP', 'meaning'], rows)}`;
}

function fieldRows(api: OpenApi, from: Schema | Reference | undefined, prefix = '', depth = 0): string[][] {
  const shape = from && resolve(api, from);
  if (!shape || depth >= DEPTH) return [];
  if (shape.type === 'array') return fieldRows(api, shape.items, `${prefix}[].`.replace('.[]', '[]'), depth);
  return Object.entries(shape.properties ?? {}).flatMap(([name, each]) => {
    const field = resolve(api, each);
    const inner = field.type === 'array' ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [
      [
        `\`${prefix}${name}\``,
        typeOf(api, each),
        note(shape.required?.includes(name) ? '' : 'optional', field.description ?? ''),
      ],
      ...fieldRows(api, field.type === 'array' ? field.items : field, inner, depth + 1),
    ];
  });
}

function typeOf(api: OpenApi, from: Schema | Reference | undefined): string {
  const shape = from && resolve(api, from);
  if (!shape) return '';
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum) return shape.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (shape.anyOf) return [...new Set(shape.anyOf.map((each) => typeOf(api, each)))].join(' or ');
  if (shape.type === 'array') return `array of ${typeOf(api, shape.items) || 'anything'}`;
  const type = [shape.type ?? 'anything'].flat().join(' or ');
  return shape.format ? `${type} (${shape.format})` : type;
}

function exampleBlock(api: OpenApi, content: Content | undefined): string {
  const [first] = Object.values(content?.examples ?? {});
  const example = first && resolve(api, first);
  if (example?.value === undefined || typeof example.value !== 'object') return '';
  return `\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\``;
}

function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function note(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

function resolve<T extends object>(api: OpenApi, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const [, , kind, name] = value.$ref.split('/') as [string, string, keyof OpenApi['components'], string];
  const found = api.components[kind][name];
  if (!found) throw new Error(`docs/openapi.json has no ${value.$ref}`);
  return resolve(api, found as T);
}
