import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, makeDemo } from '../packages/server/src/demo/make-demo.ts';
import type { CatalogFile } from '../packages/server/src/domain/catalog/file-schema.ts';
import { databases } from '../packages/server/test/databases.ts';
import { freePort } from '../packages/server/test/free-port.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { PUBLISHED, packPackages } from '../scripts/pack.js';
import { ownBrowser } from './portal.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);
/** Enough for a process to start while other tests keep the machine busy. */
const STARTING = { timeout: 50_000, interval: 200 };
const built = (name: string) => join(ROOT, 'packages', name, 'dist');

let project: string;
let packed: Awaited<ReturnType<typeof packPackages>>;
let service: TestServer;
let browser: Browser;
const running: ChildProcess[] = [];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'innkeeper-project-'));
  packed = await packPackages(project);
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const quiet = ['--offline', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...packed.map(({ filename }) => `./${filename}`)], { cwd: project });
  for (const name of [
    'react',
    'react-dom',
    'scheduler',
    'csstype',
    '@types/react',
    '@types/react-dom',
    '@types/node',
    'undici-types',
  ]) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  service = await startTestServer((await databases[0]?.fresh()) as string);
  browser = await ownBrowser();
});
afterAll(async () => {
  for (const child of running) child.kill();
  await browser?.close();
  await service?.close();
  if (project) await rm(project, { recursive: true, force: true });
});

/** A README's code blocks in one language. */
async function blocksOf(name: string, language: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'packages', name, 'README.md'), 'utf8');
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code as string);
}

test.each(PUBLISHED)('publint finds nothing in %s', async (name) => {
  const { messages } = await publint({ pkgDir: built(name), level: 'suggestion', strict: true, pack: false });
  expect(messages).toEqual([]);
});

test('the snippets of the READMEs compile in an empty folder with the packed packages, and the form works', async () => {
  const stray = packed
    .slice(0, 2)
    .flatMap(({ files }) => files.filter(({ path }) => /\.tsx?$/.test(path.replace('.d.ts', ''))));
  expect(stray).toEqual([]);
  const demo = (await makeDemo(service.service.storage, service.service.keyring, Date.now())) as Demo;
  const page = await servePages();
  const tokenPort = await freePort();
  const filledIn = (code: string) =>
    code
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('localhost:4000', `localhost:${tokenPort}`)
      .replaceAll('listen(4000)', `listen(${tokenPort})`)
      .replaceAll('http://localhost:5173', page.origin)
      .replaceAll('YOUR_CLIENT_ID', demo.clientId);

  const ts = await blocksOf('client', 'ts');
  const catalog = ts.find((code) => code.startsWith('// catalog.ts'));
  await writeFile(join(project, 'catalog.ts'), catalog as string);
  await writeFile(join(project, 'client.ts'), ts.filter((code) => code !== catalog).join('\n'));
  const tsx = await blocksOf('react', 'tsx');
  for (const [place, code] of tsx.entries()) await writeFile(join(project, `react-${place}.tsx`), filledIn(code));
  const usual = ['--noEmit', '--target', 'es2024', '--jsx', 'react-jsx', '--types', 'node'];
  const strictest = ['--strict', '--exactOptionalPropertyTypes', '--isolatedModules', '--verbatimModuleSyntax'];
  const compile = (...how: string[]) =>
    run(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', '--allowImportingTsExtensions', ...usual, ...strictest, ...how],
      ...['client.ts', ...tsx.map((_, place) => `react-${place}.tsx`)].map((file) => join(project, file)),
    ]).catch(({ stdout: problems }) => problems);
  expect(await compile('--module', 'nodenext')).toMatchObject({ stdout: '' });
  expect(await compile('--module', 'esnext', '--moduleResolution', 'bundler')).toMatchObject({ stdout: '' });

  // Runs the README's code unchanged, except for the service's address and where the page gets its token.
  const { application } = await withCatalog(service, README_CATALOG);
  const asWritten = ts
    .filter((code) => code !== catalog)
    .join('\n')
    .replaceAll('http://localhost:8080', service.url)
    .replaceAll('1_…', application.clientId)
    .replaceAll("(await fetch('/token')).text()", 'access_token');
  await writeFile(join(project, 'run.ts'), asWritten);
  const secrets = {
    INNKEEPER_CLIENT_SECRET: application.clientSecret,
    INNKEEPER_TOKEN: (await manageWith(service)).token,
  };
  const ran = await run(process.execPath, ['run.ts'], { cwd: project, env: { ...process.env, ...secrets } });
  const [link, ...rest] = ran.stdout.split('\n');
  expect(link).toMatch(/^http:\S+\/p\/\S+ <http:\S+\/u\/\S+> List-Unsubscribe=One-Click$/);
  expect(rest.join('\n')).toBe('Kanäle string\nnewsletter boolean\nvolume integer\nAda King\n');

  const [server] = await blocksOf('react', 'js');
  await writeFile(join(project, 'server.mjs'), filledIn(server as string));
  const { clientId: INNKEEPER_CLIENT_ID, clientSecret: INNKEEPER_CLIENT_SECRET } = demo;
  const env = { ...process.env, INNKEEPER_CLIENT_ID, INNKEEPER_CLIENT_SECRET };
  running.push(spawn(process.execPath, ['server.mjs'], { cwd: project, env, stdio: 'inherit' }));

  // While the service is down, the page reports it and keeps running.
  const awayPort = await freePort();
  const away = filledIn(server as string)
    .replaceAll(service.url, `http://localhost:${await freePort()}`)
    .replaceAll(`listen(${tokenPort})`, `listen(${awayPort})`);
  await writeFile(join(project, 'away.mjs'), away);
  running.push(spawn(process.execPath, ['away.mjs'], { cwd: project, env, stdio: 'ignore' }));
  const statusOfAway = () => fetch(`http://localhost:${awayPort}`).then(({ status }) => status, String);
  await expect.poll(statusOfAway, STARTING).toBe(502);
  expect(await statusOfAway()).toBe(502);

  const [html = ''] = await blocksOf('react', 'html');
  const output = { entryFileNames: 'main.js', assetFileNames: 'main[extname]' };
  const rolldownOptions = { input: join(project, 'react-0.tsx'), output };
  await build({ root: project, configFile: false, logLevel: 'error', build: { rolldownOptions } });
  await writeFile(join(project, 'dist/index.html'), html);

  const appId = Number(demo.clientId.split('_')[0]);
  await service.service.storage.applications.update(appId, { set: { allowedOrigins: [page.origin] } });
  const preflight = () =>
    fetch(`${service.url}/api/option_keys`, { headers: { apiKey: demo.clientId, origin: page.origin } });
  await expect.poll(async () => (await preflight()).headers.get('access-control-allow-origin')).toBe(page.origin);
  await expect
    .poll(
      () =>
        fetch(`http://localhost:${tokenPort}`).then(
          ({ ok }) => ok,
          () => false,
        ),
      STARTING,
    )
    .toBe(true);

  const window = await browser.newPage();
  await window.goto(page.origin);
  const newsletter = window.getByRole('switch', { name: 'Rundbrief' });
  await newsletter.click();
  await window.getByText('Gespeichert').waitFor();
  await window.reload();
  await expect.poll(() => newsletter.isChecked()).toBe(true);
  await window.getByRole('form', { name: 'Darstellung' }).getByRole('radio', { name: 'Dunkel' }).waitFor();
  await window.close();
  await page.close();
});

test('the examples in docs/frameworks.md work: Vue, a plain page, no client; the Next.js parts compile', async () => {
  const { application, apiKey } = await withCatalog(service, README_CATALOG);
  const page = await servePages('frameworks');
  const filledIn = (code: string) =>
    code
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('YOUR_CLIENT_ID', application.clientId)
      .replaceAll("'ada@example.com'", `'${ADA}'`);
  await service.service.storage.applications.update(application.appId, { set: { allowedOrigins: [page.origin] } });
  const { accessToken } = await makeSignedInUser(service, application, ADA);
  const guide = await readFile(join(ROOT, 'docs/frameworks.md'), 'utf8');
  const files = [...guide.matchAll(/```\w+ (\S+)\n(.*?)```/gs)].map(
    ([, name = '', code = '']) => [name, code] as const,
  );
  for (const [name, code] of files) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), filledIn(code));
  }
  const names = files.map(([name]) => join(project, name)).filter((name) => /app\/|lib\//.test(name));
  expect(names).toHaveLength(4);
  const flags = ['--strict', '--noEmit', '--jsx', 'react-jsx', '--types', 'node', '--target', 'es2024'];
  const compiled = await run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...['--ignoreConfig', '--module', 'esnext', '--moduleResolution', 'bundler', ...flags, ...names],
  ]).catch(({ stdout: problems }) => problems);
  expect(compiled).toMatchObject({ stdout: '' });

  const output = { entryFileNames: 'newsletter.js' };
  const alias = { vue: createRequire(import.meta.url).resolve('@vue/runtime-dom') };
  await build({
    ...{ root: project, configFile: false, logLevel: 'error', resolve: { alias } },
    build: {
      ...{ outDir: 'frameworks', target: 'es2024', emptyOutDir: false },
      rolldownOptions: { input: join(project, 'newsletter.ts'), output },
    },
  });
  const served = join(project, 'frameworks');
  await writeFile(join(served, 'token'), accessToken);
  await cp(join(project, 'node_modules/@innkeeper/client'), join(served, 'innkeeper-client'), { recursive: true });
  await copyFile(join(project, 'plain.html'), join(served, 'plain.html'));
  await writeFile(
    join(served, 'vue.html'),
    '<div id="root"></div><script type="module" src="/newsletter.js"></script>',
  );
  const saved = async () => {
    const headers = { ...apiKey, ...bearer(accessToken) };
    const { items } = (await service.send('GET', '/api/user_options', { headers })).json as { items: [Saved] };
    return items[0]?.option.value;
  };
  for (const [name, value] of [
    ['vue.html', true],
    ['plain.html', false],
  ] as const) {
    const window = await browser.newPage();
    await window.goto(`${page.origin}/${name}`);
    const box = window.locator('input:enabled');
    await expect.poll(() => box.isChecked()).toBe(!value);
    await box.click();
    await window.getByText('saved', { exact: true }).waitFor();
    expect(await saved(), name).toBe(value);
    await window.close();
  }
  await page.close();

  const env = { INNKEEPER_URL: service.url, INNKEEPER_CLIENT_ID: application.clientId, ACCESS_TOKEN: accessToken };
  const { stdout } = await run(process.execPath, ['plain-fetch.mjs'], { cwd: project, env });
  expect(stdout).toContain('newsletter: true');
  expect(await saved()).toBe(true);
});

/** Its own user. */
const ADA = 'grace@example.com';
type Saved = { option: { value: unknown } };

/** The catalog that the client's README uses. */
const README_CATALOG: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
  ],
  groups: [
    {
      name: 'notifications',
      keys: [
        {
          name: 'channels',
          type: 'string',
          multiple: true,
          values: ['email', 'sms', { value: 'fax', retired: true }],
          translations: { Deutsch: 'Kanäle' },
        },
        { name: 'newsletter', type: 'boolean' },
        { name: 'volume', type: 'integer' },
      ],
    },
  ],
};

/** Serves the project's build output, as a static host would. */
async function servePages(folder = 'dist') {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(project, folder, path === '/' ? 'index.html' : path);
    const type = { html: 'text/html', js: 'text/javascript', css: 'text/css' }[file.split('.').at(-1) as 'js'];
    response.setHeader('content-type', `${type}; charset=utf-8`);
    createReadStream(file)
      .on('error', () => response.end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
