import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeApi } from './describe-api.ts';
import type { OpenApi } from './openapi.ts';
import type { Section, Source } from './section.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** The order of the navigation. Files found by a pattern come after those listed under the same title. */
const SECTIONS: [title: string, files: string[]][] = [
  ['Start', ['docs/README.md', 'docs/install.md', 'docs/quick-start.md', 'docs/concepts.md']],
  [
    'Guides',
    [
      'docs/back-end.md',
      'docs/openfeature.md',
      'docs/front-end.md',
      'docs/frameworks.md',
      'docs/events.md',
      'docs/webhooks.md',
      'docs/product.md',
      'docs/languages.md',
      'docs/ci.md',
      'docs/operators.md',
      'docs/identity-provider.md',
      'docs/migrating.md',
      'docs/personal-data.md',
    ],
  ],
  ['Reference', ['docs/glossary.md', 'docs/errors.md', 'docs/import.md']],
  ['API', []],
  ['Packages', []],
  [
    'Running it',
    [
      'docs/operations.md',
      'docs/databases.md',
      'docs/high-availability.md',
      'docs/backup.md',
      'docs/monitoring.md',
      'docs/scaling.md',
      'docs/security.md',
      'docs/reliability.md',
      'docs/performance.md',
    ],
  ],
  ['Internals', ['docs/architecture.md', 'CONTRIBUTING.md', 'CHANGELOG.md']],
  ['Decisions', []],
];

/** Files without a page, and the page with the same content. */
export const ALIASES: Record<string, string> = { 'README.md': '', 'docs/decisions': 'decisions' };

/** Every page of the site, in the order of its navigation. */
export async function readSections(): Promise<Section[]> {
  const named = new Set(SECTIONS.flatMap(([, files]) => files));
  const api = describeApi(JSON.parse(await readFile(join(ROOT, 'docs/openapi.json'), 'utf8')) as OpenApi);
  const decisions = await readAll(filesAt('docs/decisions/*.md'));
  const found: Record<string, Source[]> = {
    API: api,
    Packages: await readAll(filesAt('packages/*/README.md')),
    'Running it': await readAll(filesAt('docs/*.md').filter((file) => !named.has(file))),
    Decisions: [listDecisions(decisions), ...decisions],
  };
  const sections = await Promise.all(
    SECTIONS.map(async ([title, files]) => ({ title, pages: [...(await readAll(files)), ...(found[title] ?? [])] })),
  );
  return sections.filter(({ pages }) => pages.length > 0);
}

function filesAt(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
}

function readAll(files: string[]): Promise<Source[]> {
  return Promise.all(files.map(readSource));
}

async function readSource(file: string): Promise<Source> {
  const markdown = await readFile(join(ROOT, file), 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`${file} has no heading of the first level`);
  const path = addressOf(file);
  return { path, file, title: path === '' ? 'Start here' : title.replaceAll('`', ''), markdown };
}

function addressOf(file: string): string {
  const path = file.replace(/^(docs|packages)\//, '').replace(/\.md$/, '');
  return path === 'README' ? '' : path.replace(/\/README$/, '').toLowerCase();
}

function listDecisions(decisions: Source[]): Source {
  const lines = decisions.map(({ file, title }) => `- [${title}](${file.slice('docs/decisions/'.length)})`);
  return {
    path: 'decisions',
    file: 'docs/decisions/README.md',
    title: 'All decisions',
    markdown: `# Decisions\n\nChoices that shape the code, each with its reasons and what it costs.\n\n${lines.join('\n')}\n`,
  };
}
