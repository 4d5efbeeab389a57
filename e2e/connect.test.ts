import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSnippets, type SnippetName } from '../packages/portal/src/rooms/connect/snippets/make-snippets.ts';
import { sqlite } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

const run = promisify(execFile);

const portal = openPortal(sqlite);

describe('the connect room', () => {
  test('has snippets with real ids, and a link to the explorer', async () => {
    const shop = await withCatalog(portal.server);
    const { clientId } = shop.application;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/connect`);
    const code = page.getByRole('region', { name: 'curl' });
    await expect.poll(() => code.innerText()).toContain(clientId);
    const secret = page.getByLabel('Your secret (stays in this browser tab)');
    expect(await secret.getAttribute('type')).toBe('password');
    const replace = page.getByText('above or replace YOUR_CLIENT_SECRET');
    await replace.waitFor();
    await secret.fill(" it's-secret ");
    await expect.poll(() => code.innerText()).toContain("SECRET='it'\\''s-secret'\n");
    expect(await replace.count()).toBe(0);
    await page.getByRole('link', { name: 'rotate it' }).click();
    await page.getByRole('heading', { name: 'Credentials', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => code.innerText()).toContain("SECRET='it'\\''s-secret'\n");
    for (const name of ['TypeScript', 'React', 'Python', 'PHP', 'Go']) {
      await page.getByRole('tab', { name, exact: true }).click();
      expect(await page.getByRole('region', { name }).innerText()).toContain(clientId);
      await page.getByRole('button', { name: `Copy ${name} snippet` }).waitFor();
    }
    const explorer = await page.getByRole('link', { name: 'Open API explorer' }).getAttribute('href');
    expect(explorer).toBe(`${portal.server.url}/docs?apiKey=${clientId}&language=en`);
    await expectAccessible(page);
    const publishFirst = page.getByRole('link', { name: 'Publish a key first' });
    expect(await publishFirst.count()).toBe(0);
    const empty = await portal.server.application();
    await page.goto(`${portal.server.url}/portal/applications/${empty.clientId}/connect`);
    expect(await publishFirst.getAttribute('href')).toContain(`/${empty.clientId}/catalog`);
    expect(pageErrors).toEqual([]);
  });

  test('runs the whole flow and shows each request and response', async () => {
    const shop = await withCatalog(portal.server);
    const { clientId } = shop.application;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/connect`, {
      viewport: { width: 380, height: 760 },
    });
    await page.getByRole('button', { name: 'Run flow' }).click();
    await page.getByText(/All 7 steps succeeded/).waitFor();
    await page.getByRole('button', { name: /Save a selection/ }).click();
    await page.getByRole('region', { name: 'Response, HTTP 201' }).getByText('user_options_uid').waitFor();
    await page.getByRole('region', { name: 'Request' }).getByText('Bearer YOUR_ACCESS_TOKEN').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expect(await portal.server.service.storage.applications.countUsers(shop.application.appId)).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

/** Runs each snippet as pasted; PHP and Go only where they are installed. */
describe('the snippets', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'innkeeper-snippets-'));
    // As after npm install; published.test.ts covers the packed packages.
    await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const FILES: Partial<Record<SnippetName, { file: string; command: string; args: string[] }>> = {
    curl: { file: 'snippet.sh', command: 'bash', args: ['-eu'] },
    typescript: { file: 'snippet.mjs', command: process.execPath, args: [] },
    python: { file: 'snippet.py', command: 'python3', args: [] },
    php: { file: 'snippet.php', command: 'php', args: [] },
    go: { file: 'snippet.go', command: 'go', args: ['run'] },
  };
  const prepare = async () => {
    const shop = await withCatalog(portal.server);
    const { clientId, clientSecret, appId } = shop.application;
    const key = (await shop.keyNamed('fruit')) as { option_group_uid: string; option_key_uid: string };
    const sample = {
      groupUid: key.option_group_uid,
      groupName: 'kitchen',
      keyUid: key.option_key_uid,
      keyName: 'what\'s \n`this` */ "',
      value: ['apricot', 'cherry'],
    };
    const facts = { base: portal.server.url, clientId };
    const snippets = makeSnippets({ ...facts, sample });
    // With the key's real name: the other snippets only mention it in a comment.
    const { typescript } = makeSnippets({ ...facts, sample: { ...sample, keyName: 'fruit' } });
    return { snippets: { ...snippets, typescript }, clientSecret, appId };
  };

  // PHP and Go are optional; every machine that runs the tests has the others.
  const isThere = (name: string) => (name !== 'php' && name !== 'go') || !spawnSync(name, ['version']).error;
  const RUN = (['curl', 'typescript', 'python', 'php', 'go'] as const).filter(isThere);

  test.each(RUN)('for %s runs as pasted', async (name) => {
    const { file, command, args } = FILES[name] as NonNullable<(typeof FILES)[SnippetName]>;
    const { snippets, clientSecret, appId } = await prepare();
    const path = join(folder, file);
    await writeFile(path, snippets[name]);
    const refused = await run(command, [...args, path]).catch((error) => error);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/"?code"?: ?["']0011/)]);
    const env = { ...process.env, INNKEEPER_CLIENT_SECRET: clientSecret };
    const { stdout } = await run(command, [...args, path], { env });
    expect(stdout).toContain('apricot');
    const [user] = await portal.server.service.storage.users.page(appId, { after: null, limit: 2 });
    const [saved] = await portal.server.service.storage.selections.list(user?.userId as string);
    expect(saved?.value).toBe('["apricot","cherry"]');
  });

  test('for curl stops at a wrong secret and shows the error', async () => {
    const { snippets, appId } = await prepare();
    const path = join(folder, 'wrong.sh');
    await writeFile(path, `${snippets.curl}echo "the terminal goes on"\n`);
    for (const shell of ['bash', 'sh']) {
      const { stdout, stderr } = await run(shell, [path]);
      expect(stdout).toMatch(/^1\. [^\n]*\nthe terminal goes on\n$/);
      expect(JSON.parse(stderr.replace(/^curl: .*\n/, '')).code).toBe('0011');
    }
    expect(await portal.server.service.storage.applications.countUsers(appId)).toBe(0);
  });

  test('for React is complete', async () => {
    const { snippets } = await prepare();
    const input = join(folder, 'snippet.tsx');
    await writeFile(input, snippets.react);
    const problems: string[] = [];
    const bundle = await rolldown({
      input,
      external: [/^react/],
      moduleTypes: { '.css': 'empty' },
      onLog: (_, { code, message }) => code === 'MODULE_LEVEL_DIRECTIVE' || problems.push(message),
    });
    const { output } = await bundle.generate();
    await bundle.close();
    expect(problems).toEqual([]);
    expect(output[0].code).toContain('group: "kitchen"');
  });

  test('without a catalog omit the selection', async () => {
    const { clientId, clientSecret } = await portal.server.application();
    const snippets = makeSnippets({ base: portal.server.url, clientId, sample: undefined, secret: clientSecret });
    const path = join(folder, 'empty.sh');
    await writeFile(path, snippets.curl);
    const { stdout } = await run('sh', ['-eu', path]);
    expect(stdout).toContain('"items":[]');
  });
});
