import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillDemo } from '../../server/src/demo/make-demo.ts';
import { createApplication } from '../../server/src/domain/applications/application.ts';
import { databases } from '../../server/test/databases.ts';
import { SECRET, startTestServer, type TestServer } from '../../server/test/http/start.ts';
import { type Block, readBlocks } from './read-blocks.ts';
import { runPage } from './run-page.ts';
import { differenceFrom } from './shown-json.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Every code block of these pages runs, in order, as a reader would run it. */
const PAGES = [
  'README',
  'quick-start',
  'concepts',
  'back-end',
  'events',
  'webhooks',
  'front-end',
  'product',
  'languages',
  'operators',
  'migrating',
  'personal-data',
  'import',
  'operations',
  'databases',
  'backup',
  'monitoring',
];

/** Commands that run until stopped: test/operations starts them, and .ci/run installs. */
const RUN_ELSEWHERE = /^npm ci && npm start$|^innkeeper serve$/m;

let folder: string;
let server: TestServer;
let given: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innkeeper-guide-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const [sqlite, postgres] = databases as [(typeof databases)[0], (typeof databases)[0]];
  const databaseUrl = await sqlite.fresh();
  server = await startTestServer(databaseUrl);
  const { storage, keyring } = server.service;
  const demo = await createApplication(storage, keyring, 'Demo', Date.now());
  await fillDemo(storage, keyring, demo, Date.now());
  given = {
    CLIENT_ID: demo.clientId,
    CLIENT_SECRET: demo.clientSecret,
    OLD_DATABASE: await postgres.empty(),
    INNKEEPER_DATABASE_URL: databaseUrl,
    INNKEEPER_SECRET: SECRET,
    INNKEEPER_PORT: new URL(server.url).port,
    INNKEEPER_PUBLIC_URL: server.url,
  };
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.concurrent('the code blocks of docs', () => {
  test.each(PAGES)('%s.md do what the page says', async (page) => {
    const blocks = readBlocks(await readFile(join(ROOT, 'docs', `${page}.md`), 'utf8'));
    const cwd = join(folder, page);
    await mkdir(cwd);
    const { clientId, clientSecret } = await server.application();
    const own = { ...given, APP: clientId, APP_SECRET: clientSecret };
    // A feed that no other page writes to.
    if (page === 'events') Object.assign(own, { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret });
    const outputs = await runPage(blocks.filter(isRun), { cwd, url: server.url, given: own });
    let last = '';
    for (const block of blocks) {
      if (block.language === 'json' && block.file === undefined) {
        expect(differenceFrom(JSON.parse(block.text), JSON.parse(last)), `${page}.md:${block.line}`).toBeUndefined();
      }
      last = outputs.get(block) ?? last;
    }
  });
});

test('TypeScript blocks compile', async () => {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      lib: ['es2025', 'dom', 'dom.iterable'],
      jsx: 'react-jsx',
      types: ['node'],
      noUnusedLocals: false,
    },
    include: ['*/*.ts', '*/*.tsx'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiled = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error);
  expect(compiled.stdout).toBe('');
});

/** Blocks that nothing runs are not allowed on these pages. */
function isRun({ language, file, text, line }: Block): boolean {
  if (RUN_ELSEWHERE.test(text)) return false;
  if (language === 'sh' || file !== undefined) return true;
  if (language === 'json') return false;
  throw new Error(`line ${line}: a block of ${language || 'no language'} that is not run: give it the name of a file`);
}
