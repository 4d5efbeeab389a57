import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Drawn, drawMarkdown } from './draw-markdown.ts';
import { drawPage } from './draw-page.ts';
import { listForPrograms, wholeText } from './for-programs.ts';
import { createLinks } from './links.ts';
import type { Source } from './section.ts';
import { ROOT, readSections } from './sources.ts';

const ASSETS = join(import.meta.dirname, '../assets');
const PICTURES = /\.(svg|png)$/;

/** Writes every page as HTML and Markdown, with its assets, into a folder. */
export async function writeSite(folder: string): Promise<void> {
  const sections = await readSections();
  const pages = sections.flatMap((section) => section.pages);
  const links = createLinks(pages);
  const drawn = pages.map((source) => ({ source, drawn: drawMarkdown(source.markdown, links.from(source)) }));
  const assets = await writeAssets(folder, searchIndex(drawn));
  for (const each of drawn) {
    const { path, markdown } = each.source;
    const html = drawPage({ ...each, sections, root: links.rootFrom(path), assets });
    await mkdir(dirname(join(folder, path || 'index')), { recursive: true });
    await writeFile(join(folder, `${path || 'index'}.html`), html);
    await writeFile(join(folder, `${path || 'index'}.md`), markdown);
  }
  await writeFile(join(folder, 'llms.txt'), listForPrograms(sections));
  await writeFile(join(folder, 'llms-full.txt'), wholeText(sections));
  const files = await readdir(join(ROOT, 'docs'), { recursive: true });
  for (const file of files.filter((name) => PICTURES.test(name))) {
    await cp(join(ROOT, 'docs', file), join(folder, file));
  }
  await cp(join(ASSETS, 'icon.svg'), join(folder, 'icon.svg'));
}

type DrawnPage = { source: Source; drawn: Drawn };

/** Into a folder named after a hash of its content, so that browsers can cache it forever. */
async function writeAssets(folder: string, index: string): Promise<string> {
  const library = createRequire(import.meta.url)
    .resolve('minisearch')
    .replace(/cjs.index\.cjs$/, 'es/index.js');
  const files: [string, string | Buffer][] = [
    ['search-index.json', index],
    ['minisearch.js', (await readFile(library, 'utf8')).replace(/\n\/\/# sourceMappingURL.*/, '')],
  ];
  for (const name of (await readdir(ASSETS)).filter((each) => /\.(css|js)$/.test(each)).sort()) {
    files.push([name, await readFile(join(ASSETS, name))]);
  }
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update(content);
  const name = `assets/${hash.digest('hex').slice(0, 12)}`;
  await mkdir(join(folder, name), { recursive: true });
  for (const [file, content] of files) await writeFile(join(folder, name, file), content);
  return name;
}

function searchIndex(pages: DrawnPage[]): string {
  return JSON.stringify(
    pages.flatMap(({ source, drawn }) =>
      drawn.passages.map(({ id, title, text }) => ({
        at: id === '' ? source.path : `${source.path}#${id}`,
        page: source.title,
        heading: title,
        text,
      })),
    ),
  );
}
