import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * The linter enforces the import rules of docs/architecture.md, so it is tested too: each snippet is written to the
 * path that it names, and all are linted in one run with the repository's own configuration. oxlint checks promises,
 * because Biome's rule does not see those of node:, of pg, or of inferred types (docs/decisions/0002).
 */
type Snippet = { title: string; at: string; code: string; breaks?: string };

const IMPORTS = 'lint/style/noRestrictedImports';
const ENVIRONMENT = 'lint/style/noProcessEnv';
const BIOME_RULES = [IMPORTS, ENVIRONMENT];

const SERVER = 'packages/server/src';
const imports = (what: string) => `import { thing } from '${what}'; export const used = thing;`;
const place = (at: string) => at.replace('packages/', '').replace('/src', '');
const restricted = (at: string, what: string): Snippet => ({
  title: `${place(at)} must not import ${what}`,
  at,
  code: imports(what),
  breaks: IMPORTS,
});
const allowed = (at: string, what: string): Snippet => ({
  title: `${place(at)} may import ${what}`,
  at,
  code: imports(what),
});

const importRules: Snippet[] = [
  // the domain: only ports; no framework, database or environment
  allowed(`${SERVER}/domain/users`, '../../storage/port.ts'),
  allowed(`${SERVER}/domain/users`, '../../tokens/port.ts'),
  allowed(`${SERVER}/domain/users`, '../errors.ts'),
  allowed(`${SERVER}/domain/users`, 'node:crypto'),
  restricted(`${SERVER}/domain/users`, 'node:http'),
  restricted(`${SERVER}/domain/users`, 'pg'),
  restricted(`${SERVER}/domain/users`, 'node:sqlite'),
  restricted(`${SERVER}/domain/users`, 'node:fs/promises'),
  restricted(`${SERVER}/domain/users`, '../../config.ts'),
  restricted(`${SERVER}/domain/users`, '../../http/errors.ts'),
  restricted(`${SERVER}/domain/users`, '../../cli/app.ts'),
  restricted(`${SERVER}/domain/users`, '../../storage/open.ts'),
  restricted(`${SERVER}/domain/users`, '../../storage/sqlite/users.ts'),
  restricted(`${SERVER}/domain/users`, '../../tokens/embedded.ts'),
  restricted(`${SERVER}/domain`, '../storage/postgres/users.ts'),

  // http: the domain and the ports, but not their implementations
  allowed(`${SERVER}/http/users`, '../../domain/users/users.ts'),
  allowed(`${SERVER}/http/users`, '../../storage/port.ts'),
  // one front door
  allowed(`${SERVER}/http/server`, 'node:http'),
  restricted(`${SERVER}/http/users`, 'node:http'),
  restricted(`${SERVER}/http`, 'node:http'),
  restricted(`${SERVER}/http/server`, '../../storage/sqlite/users.ts'),
  restricted(`${SERVER}/cli`, 'node:http'),
  restricted(`${SERVER}/storage`, 'node:http'),
  restricted(`${SERVER}/http/users`, '../../storage/sqlite/users.ts'),
  restricted(`${SERVER}/http/users`, '../../storage/postgres/users.ts'),
  restricted(`${SERVER}/http/users`, '../../tokens/embedded.ts'),
  restricted(`${SERVER}/http/users`, '../../tokens/remote.ts'),
  restricted(`${SERVER}/http/users`, '../../cli/app.ts'),
  restricted(`${SERVER}/http/users`, 'pg'),

  // the adapters: each by itself
  allowed(`${SERVER}/storage/sqlite`, '../port.ts'),
  allowed(`${SERVER}/storage/sqlite`, 'node:sqlite'),
  allowed(`${SERVER}/storage/postgres`, 'pg'),
  restricted(`${SERVER}/storage/sqlite`, '../postgres/users.ts'),
  restricted(`${SERVER}/storage/sqlite`, 'pg'),
  restricted(`${SERVER}/storage/postgres`, '../sqlite/users.ts'),
  restricted(`${SERVER}/storage/postgres`, 'node:sqlite'),
  restricted(`${SERVER}/storage/postgres`, '../../http/errors.ts'),
  restricted(`${SERVER}/storage/postgres`, '../../domain/errors.ts'),
  restricted(`${SERVER}/storage`, '../domain/errors.ts'),
  allowed(`${SERVER}/storage/sqlite`, '../common/stores.ts'),
  allowed(`${SERVER}/storage/common`, '../port.ts'),
  restricted(`${SERVER}/storage/common`, '../sqlite/users.ts'),
  restricted(`${SERVER}/storage/common`, 'pg'),
  restricted(`${SERVER}/storage/common`, '../../domain/errors.ts'),
  allowed(`${SERVER}/storage`, './sqlite/index.ts'),
  allowed(`${SERVER}/tokens`, '../storage/port.ts'),
  restricted(`${SERVER}/tokens`, '../storage/sqlite/tokens.ts'),
  restricted(`${SERVER}/tokens`, '../http/errors.ts'),

  // events: its own sockets, the domain and the ports
  allowed(`${SERVER}/events`, 'node:https'),
  allowed(`${SERVER}/events`, '../domain/errors.ts'),
  allowed(`${SERVER}/events`, '../storage/port.ts'),
  restricted(`${SERVER}/events`, '../storage/sqlite/users.ts'),
  restricted(`${SERVER}/events`, '../http/errors.ts'),

  // mail: its own sockets, the domain and the ports
  allowed(`${SERVER}/mail`, '../domain/mail/write-letter.ts'),
  restricted(`${SERVER}/mail`, '../storage/sqlite/users.ts'),
  restricted(`${SERVER}/domain`, '../mail/smtp-mailer.ts'),

  // monitoring: the domain and the ports, never HTTP
  allowed(`${SERVER}/monitoring`, '../domain/service.ts'),
  restricted(`${SERVER}/monitoring`, '../http/errors.ts'),
  restricted(`${SERVER}/monitoring`, '../storage/sqlite/users.ts'),
  restricted(`${SERVER}/domain`, '../monitoring/logging.ts'),

  // the worker threads: as http; the domain only knows their port
  allowed(`${SERVER}/work`, '../domain/errors.ts'),
  restricted(`${SERVER}/work`, '../storage/sqlite/users.ts'),
  restricted(`${SERVER}/domain`, '../work/pool.ts'),

  // only the entry points wire everything, and src never imports test
  allowed(SERVER, './storage/sqlite/open.ts'),
  allowed(SERVER, './tokens/embedded.ts'),
  restricted(SERVER, '../test/databases.ts'),
  restricted(`${SERVER}/cli`, '../../test/databases.ts'),
  restricted(`${SERVER}/http`, '../../test/databases.ts'),
  restricted(`${SERVER}/domain`, '../../test/databases.ts'),
  restricted(`${SERVER}/storage`, '../../test/databases.ts'),
  restricted(`${SERVER}/a-folder-yet-to-come`, '../../test/databases.ts'),

  // client, react and portal know nothing of the server
  allowed('packages/react/src', '@innkeeper/client'),
  allowed('packages/portal/src', '@innkeeper/react'),
  restricted('packages/client/src', '@innkeeper/server'),
  restricted('packages/client/src', '../../server/src/domain/errors.ts'),
  restricted('packages/client/src', 'node:crypto'),
  restricted('packages/react/src', '@innkeeper/server'),
  restricted('packages/react/src', '../../server/src/domain/errors.ts'),
  restricted('packages/portal/src', '@innkeeper/server/domain'),
  restricted('packages/portal/src', '../../server/src/domain/errors.ts'),

  // other ways to write an import
  {
    title: 'a re-export counts as an import',
    at: `${SERVER}/storage/sqlite`,
    code: "export type { Row } from '../postgres/users.ts';",
    breaks: IMPORTS,
  },
  {
    title: 'a dynamic import counts as an import',
    at: `${SERVER}/storage/sqlite`,
    code: "export const late = () => import('../postgres/users.ts');",
    breaks: IMPORTS,
  },
];

const READS_ENVIRONMENT = 'export const port = process.env.INNKEEPER_PORT;';
const environmentRules: Snippet[] = [
  { title: 'config.ts reads process.env', at: `${SERVER}/config.ts`, code: READS_ENVIRONMENT },
  { title: 'tests read process.env', at: 'packages/server/test', code: READS_ENVIRONMENT },
  ...['', '/domain', '/http', '/storage/sqlite', '/tokens', '/cli'].map((floor) => ({
    title: `server${floor} must not read process.env`,
    at: SERVER + floor,
    code: READS_ENVIRONMENT,
    breaks: ENVIRONMENT,
  })),
  {
    title: 'an imported env is the same thing',
    at: `${SERVER}/tokens`,
    code: "import { env } from 'node:process'; export const port = env.INNKEEPER_PORT;",
    breaks: ENVIRONMENT,
  },
];

const FLOATING = 'typescript(no-floating-promises)';
const MISUSED = 'typescript(no-misused-promises)';
const uses = (statement: string, breaks?: string): Snippet => ({
  title: `${breaks ? 'fails' : 'passes'}: ${statement}`,
  at: `${SERVER}/promises`,
  code: `import { mkdir } from 'node:fs/promises';
import type pg from 'pg';
import { type createQueue, type Store, save } from './promised.ts';
export type Types = [typeof mkdir, typeof save, Store];
export async function act(store: Store, pool: pg.Pool, queue: ReturnType<typeof createQueue>): Promise<void> {
  ${statement}
}
`,
  ...(breaks ? { breaks } : {}),
});
const PROMISED = `
export async function save(): Promise<void> {}
export interface Store { put(): Promise<void> }
export function createQueue(store: Store) { return { async flush() { await store.put(); } }; }
`;

const promiseRules: Snippet[] = [
  uses('await save(); await store.put(); await pool.end(); await queue.flush();'),
  uses('store.put().catch(() => {}); void pool;'),
  uses('save();', FLOATING),
  uses('store.put();', FLOATING),
  uses('store.put().then(() => {});', FLOATING),
  uses('queue.flush();', FLOATING),
  uses("mkdir('folder');", FLOATING),
  uses('pool.end();', FLOATING),
  uses("pool.query('SELECT 1');", FLOATING),
  uses('if (store.put()) return;', MISUSED),
  uses("process.on('exit', async () => { await store.put(); });", MISUSED),
];

const HEAVY = 'eslint(no-restricted-imports)';
const heavyImports: Snippet[] = [
  {
    title: 'typebox must not be loaded',
    at: `${SERVER}/heavy`,
    code: "import { Type } from 'typebox'; export const text = Type.String();",
    breaks: HEAVY,
  },
  {
    title: 'nor node:http, for what an import of it brings along',
    at: `${SERVER}/heavy`,
    code: "import { STATUS_CODES } from 'node:http'; export const codes = STATUS_CODES;",
    breaks: HEAVY,
  },
  {
    title: 'types alone load nothing',
    at: `${SERVER}/heavy`,
    code: "import type { TSchema } from 'typebox'; export type Schema = TSchema;",
  },
];

const root = join(import.meta.dirname, '../../..');
const named = (prefix: string, snippets: Snippet[]) =>
  snippets.map((snippet, index) => ({
    ...snippet,
    file: snippet.at.endsWith('.ts') ? snippet.at : `${snippet.at}/${prefix}-${index}.ts`,
  }));
const suites = {
  imports: named('import', importRules),
  environment: named('environment', environmentRules),
  promises: named('promise', promiseRules),
  heavy: named('heavy', heavyImports),
};

let folder: string;
let found: Map<string, string[]>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-lint-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const file of ['biome.json', '.oxlintrc.json', 'tsconfig.base.json', 'packages/server/tsconfig.json']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  write(`${SERVER}/promises/promised.ts`, PROMISED);
  for (const { file, code } of Object.values(suites).flat()) write(file, code);

  found = new Map();
  const biome = lint('@biomejs/biome/bin/biome', [
    'lint',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--reporter=json',
  ]);
  for (const { category, location } of biome.diagnostics) {
    if (BIOME_RULES.includes(category)) report(location.path, category);
  }
  const oxlint = lint('oxlint/bin/oxlint', ['--type-aware', '--format=json', `${SERVER}/promises`, `${SERVER}/heavy`]);
  for (const { code, filename } of oxlint.diagnostics) report(filename, code);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.for(Object.entries(suites))('lint rules: %s', ([, snippets]) => {
  test.for(snippets.map((snippet) => [snippet.title, snippet] as const))('%s', ([, { file, breaks }]) => {
    const rules = new Set(found.get(file));
    if (breaks) expect(rules).toContain(breaks);
    else expect(rules).toEqual(new Set());
  });
});

function write(file: string, code: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), code);
}

function lint(script: string, args: string[]) {
  const run = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(run.status, run.stderr).toBe(1);
  return JSON.parse(run.stdout);
}

function report(file: string, rule: string): void {
  found.set(file, [...(found.get(file) ?? []), rule]);
}
