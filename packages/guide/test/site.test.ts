import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const DIST = join(import.meta.dirname, '../dist');

/** Addresses that the service serves beside the guide. */
const AROUND = new Set(['../portal', '../docs', '../openapi.json', '../catalog.schema.json']);

const pages = new Map(
  globSync('**/*.html', { cwd: DIST }).map((file) => [file, readFileSync(join(DIST, file), 'utf8')] as const),
);
const idsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));
const ids = new Map([...pages].map(([file, html]) => [file, idsOf(html)]));

test('every link of every page leads to a page and an anchor', () => {
  const broken: string[] = [];
  for (const [file, html] of pages) {
    for (const [, href = ''] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const [path = '', fragment] = href.split('#');
      const target = path === '' ? file : relative(DIST, join(DIST, dirname(file), path));
      const page = [target, `${target}.html`, join(target, 'index.html')].find((each) => pages.has(each));
      if (page === undefined && AROUND.has(target)) continue;
      if (page === undefined && !existsSync(join(DIST, target))) broken.push(`${file}: ${href}`);
      if (page !== undefined && fragment !== undefined && !ids.get(page)?.has(fragment))
        broken.push(`${file}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
  expect(pages.size).toBeGreaterThan(50);
});

test('the same links work in the repository', () => {
  const broken: string[] = [];
  const files = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: ROOT });
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    for (const [, href = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = ''] = href.split('#');
      if (!/^(https?:|mailto:)/.test(href) && !existsSync(join(ROOT, dirname(file), path)))
        broken.push(`${file}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
});

test('no page tells a reader outside a clone to run npx innkeeper, which is another package', () => {
  const files = globSync(['docs/*.md', 'packages/*/README.md', 'examples/*/README.md'], { cwd: ROOT });
  const commands = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/^```[\s\S]*?^```$/gm) ?? []);
  expect(commands.filter((block) => block.includes('npx innkeeper'))).toEqual([]);
});

test('pages contain nothing that their Content-Security-Policy would block', () => {
  const inline =
    /<script(?![^>]* src=)|<style| style="| on\w+="|(?:src|href)="(?:https?:)?\/\/[^"]*\.(?:js|css)"|src="https?:/;
  const refused = [...pages].filter(([, html]) => inline.test(html.replaceAll(/<pre[\s\S]*?<\/pre>/g, '')));
  expect(refused.map(([file]) => file)).toEqual([]);
});

test('every heading of a page is unique under its parent', () => {
  for (const [file, html] of pages) {
    const found = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(found).size, file).toBe(found.length);
    expect(html.match(/<h1 /g)?.length, file).toBe(1);
  }
});

test('every error code is found at its own row, and no searchable text is cut', async () => {
  const [file = ''] = globSync('assets/*/search-index.json', { cwd: DIST });
  const entries = JSON.parse(readFileSync(join(DIST, file), 'utf8')) as { at: string; heading: string; text: string }[];
  expect(new Set(entries.map(({ at }) => at)).size).toBe(entries.length);
  const rows = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').matchAll(/^\| (\d{4}) \| \d+ \| ([\w ]+)/gm);
  const missing = [...rows].filter(
    ([, code, said = '']) => !entries.some(({ at, text }) => at === `errors#${code}` && text.includes(said)),
  );
  expect(missing).toEqual([]);
  expect(entries.find(({ at }) => at === 'errors#1008')).toMatchObject({ heading: '1008' });
  // A long table is searchable to its last row.
  const settings = entries.filter(({ at }) => at.startsWith('operations'));
  const names = [...readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/^\| `(INNKEEPER_\w+)`/gm)];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter(([, name = '']) => !settings.some(({ text }) => text.includes(name)))).toEqual([]);
});

test('every operation of the API is on one page', () => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, object>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const described = globSync('api/*.md', { cwd: DIST }).flatMap((file) =>
    [...readFileSync(join(DIST, file), 'utf8').matchAll(/^`([A-Z]+ \/\S*)`$/gm)].map(([, operation]) => operation),
  );
  expect(described.sort()).toEqual(operations.sort());
});

test('table headers have text, or there are none', () => {
  const silent = /<th[^>]*><\/th>|<tr>\s*(?:<td><\/td>\s*)+<\/tr>/;
  expect([...pages].filter(([, html]) => silent.test(html)).map(([file]) => file)).toEqual([]);
});

test('llms.txt lists every page, as existing Markdown', () => {
  const list = readFileSync(join(DIST, 'llms.txt'), 'utf8');
  expect(list).toMatch(/^# Innkeeper\n\n> A self-hosted service/);
  const named = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path as string);
  expect(named.filter((path) => !existsSync(join(DIST, path)))).toEqual([]);
  expect(named.length).toBe(pages.size);
  // Descriptions are complete sentences.
  expect(list.match(/^- .*[^.)\n]$/gm)).toBeNull();
  expect(readFileSync(join(DIST, 'llms-full.txt'), 'utf8')).toContain('# From your own table');
});
