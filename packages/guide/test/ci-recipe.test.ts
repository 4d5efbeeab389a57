import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createManageToken } from '../../server/src/domain/manage/authorize-manager.ts';
import { databases } from '../../server/test/databases.ts';
import { startTestServer, type TestServer } from '../../server/test/http/start.ts';
import { readBlocks } from './read-blocks.ts';
import { COMMANDS } from './run-page.ts';

type Job = { env: Record<string, string>; steps: { name?: string; run?: string }[] };

/** Replaces the runner's `gh`: stores what it would post to GitHub. */
const GITHUB = `gh() { printf '%s ' "$@" > gh.txt; cp "\${@: -1}" posted.md; }\n`;

let folder: string;
let server: TestServer;
let clientId: string;
let jobs: Record<string, Job>;
let secrets: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innkeeper-ci-'));
  await mkdir(join(folder, 'src'));
  server = await startTestServer(await (databases[0] as (typeof databases)[0]).fresh());
  const { appId, ...application } = await server.application();
  clientId = application.clientId;
  const page = await readFile(join(import.meta.dirname, '../../../docs/ci.md'), 'utf8');
  jobs = parse(readBlocks(page).find(({ file }) => file === 'catalog-workflow.yaml')?.text ?? '').jobs;
  const { storage, keyring, now } = server.service;
  const token = async (access: 'read' | 'write') => {
    const wanted = { name: 'ci', accountId: null, appIds: [appId], access, lifetimeSeconds: 3600 };
    return (await createManageToken(storage, keyring, wanted, now()))?.token as string;
  };
  secrets = { INNKEEPER_TOKEN: await token('write'), INNKEEPER_READ_TOKEN: await token('read') };
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the steps of a job as the runner does: bash -e, with the job's token and no other setting of the service. */
async function run(name: string): Promise<number> {
  const { env, steps } = jobs[name] as Job;
  const secret = /secrets\.(\w+)/.exec(env.INNKEEPER_TOKEN ?? '')?.[1] ?? '';
  for (const { name: step, run: script } of steps) {
    if (script === undefined || step === 'Install') continue;
    const child = spawn('bash', ['-e', '-c', COMMANDS + GITHUB + script], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE: process.execPath,
        INNKEEPER_URL: server.url,
        INNKEEPER_TOKEN: secrets[secret],
        CLIENT_ID: clientId,
        PULL_REQUEST: '7',
      },
      stdio: 'ignore',
    });
    const [code] = await once(child, 'close');
    if (code !== 0) return code;
  }
  return 0;
}

const read = (name: string) => readFile(join(folder, name), 'utf8');
const save = (text: string) => writeFile(join(folder, 'catalog.yaml'), text);

const CATALOG = `languages: [{ name: English, tag: en, default: true }]
groups:
  - name: mail
    keys:
      - { name: often, type: string, values: [daily, weekly, never] }
`;

test('plan is posted, apply publishes it, and types are built', async () => {
  await save(CATALOG);
  expect(await run('plan')).toBe(0);
  expect(await read('gh.txt')).toBe('pr comment 7 --edit-last --create-if-none --body-file comment.md ');
  expect(await read('posted.md')).toMatch(/^Catalog changes:\n\n {4}Plan for Test \(revision 0\):\n[\s\S]*mail\/often/);
  expect(await run('publish')).toBe(0);
  expect(await run('build')).toBe(0);
  expect(await read('src/catalog.ts')).toContain("'weekly'");

  await save(CATALOG.replace(', weekly', ''));
  expect(await run('plan')).toBe(0);
  expect(await read('posted.md')).toMatch(/\nSaved selections would break\.\n$/);
  expect(await run('publish')).toBe(1);

  await save(CATALOG.replace('type: string', 'type: text'));
  expect(await run('plan')).toBe(1);
});
