import { type Drawn, escapeHtml } from './draw-markdown.ts';
import type { Section, Source } from './section.ts';

export type PageParts = {
  source: Source;
  drawn: Drawn;
  sections: Section[];
  /** From this page to /guide/. */
  root: string;
  /** The folder of styles and scripts, named after a hash of its content. */
  assets: string;
};

/** The complete page: the text within the frame that all pages share. */
export function drawPage({ source, drawn, sections, root, assets }: PageParts): string {
  const title = source.path === '' ? 'Innkeeper guide' : `${source.title} · Innkeeper`;
  const assetsUrl = `${root}${assets}`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<script src="${assetsUrl}/theme.js"></script>
<link rel="stylesheet" href="${assetsUrl}/guide.css">
<script type="module" src="${assetsUrl}/guide.js"></script>
<link rel="alternate" type="text/markdown" href="${root}${source.path || 'index'}.md">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<button type="button" id="menu" class="menu" aria-expanded="false" aria-controls="nav">Menu</button>
<a class="brand" href="${root}"><img src="${root}icon.svg" alt="" width="24" height="24"><b>Innkeeper</b> <span>guide</span></a>
<button type="button" id="find" class="find" aria-haspopup="dialog">Search <kbd>/</kbd></button>
<span class="places"><a href="${root}../portal">Portal</a><a href="${root}../docs">API explorer</a></span>
<button type="button" id="theme">Theme</button>
</header>
<div class="columns">
<nav id="nav" class="pages" aria-label="Pages">
${sections.map((section) => drawSection(section, source, root)).join('\n')}
</nav>
<main id="main" tabindex="-1">
<article>
${drawn.html}</article>
${drawNeighbours(sections, source, root)}
</main>
${drawContents(drawn)}
</div>
</body>
</html>
`;
}

function drawSection({ title, pages }: Section, current: Source, root: string): string {
  const items = pages.map((page) => {
    const here = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${root}${page.path}"${here}>${escapeHtml(page.title)}</a></li>`;
  });
  // Long lists are collapsed on other pages.
  const open = pages.length < 12 || pages.includes(current) ? ' open' : '';
  return `<details${open}><summary>${title}</summary><ul>${items.join('')}</ul></details>`;
}

function drawContents({ headings }: Drawn): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, id, text }) => `<li class="d${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

function drawNeighbours(sections: Section[], current: Source, root: string): string {
  const pages = sections.flatMap((section) => section.pages);
  const place = pages.indexOf(current);
  const link = (page: Source | undefined, rel: string, word: string): string =>
    page ? `<a rel="${rel}" href="${root}${page.path}"><small>${word}</small>${escapeHtml(page.title)}</a>` : '';
  return `<nav class="neighbours" aria-label="Before and after">${link(pages[place - 1], 'prev', 'Before')}${link(pages[place + 1], 'next', 'Next')}</nav>`;
}
