import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, Renderer, type Tokens } from 'marked';

const LANGUAGES = { bash, sh: bash, http, json, sql, js: typescript, ts: typescript, tsx: typescript, html: xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

type Heading = { depth: number; id: string; html: string; text: string };
/** Searchable text under a heading, or in a table row that can be linked to. */
type Passage = { id: string; title: string; text: string };
export type Drawn = { html: string; headings: Heading[]; passages: Passage[] };

/** The address of a link on the site; undefined if the target is not part of it. */
export type Resolve = (href: string) => string | undefined;

/** Renders a page's Markdown as HTML without inline scripts or styles. */
export function drawMarkdown(markdown: string, resolve: Resolve): Drawn {
  const headings: Heading[] = [];
  const takenIds = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const text = unescapeHtml(html.replaceAll(/<[^>]+>/g, ''));
        const heading = { depth, id: uniqueId(slugOf(text), takenIds), html, text };
        headings.push(heading);
        const anchor =
          depth === 1 ? '' : ` <a class="anchor" href="#${heading.id}" aria-label="Link to this place">#</a>`;
        return `<h${depth} id="${heading.id}">${html}${anchor}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = resolve(href);
        // A file of the repository that has no page: only its name is shown.
        if (target === undefined) return html;
        return `<a href="${escapeHtml(target)}">${html}</a>`;
      },
      image({ href, text }) {
        const source = escapeHtml(resolve(href) ?? href);
        return `<a class="picture" href="${source}"><img src="${source}" alt="${escapeHtml(text)}" loading="lazy"></a>`;
      },
      code({ text, lang = '' }) {
        const [language = '', file] = lang.split(' ');
        const known = hljs.getLanguage(language) !== undefined;
        const html = known ? hljs.highlight(text, { language }).value : escapeHtml(text);
        const name = file === undefined ? '' : `<figcaption>${escapeHtml(file)}</figcaption>`;
        return `<figure class="code" data-language="${escapeHtml(language)}">${name}<pre tabindex="0"><code>${html}\n</code></pre></figure>\n`;
      },
      table(token) {
        const html = withErrorIds(Renderer.prototype.table.call(this, token));
        return `<div class="table" tabindex="0">${withoutEmptyHeaders(html)}</div>\n`;
      },
      blockquote({ tokens }) {
        const html = this.parser.parse(tokens);
        const [, kind] = /^<p>\[!(NOTE|TIP|WARNING)\]/.exec(html) ?? [];
        if (kind === undefined) return `<blockquote>${html}</blockquote>\n`;
        return `<aside class="${kind.toLowerCase()}">${html.replace(/^<p>\[!\w+\]\n?/, '<p>')}</aside>\n`;
      },
      html({ text }) {
        if (/^<!--[\s\S]*?-->\s*$/.test(text)) return '';
        throw new Error(`pages are Markdown without HTML: ${text}`);
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  return { html, headings, passages: passagesOf(tokens, headings) };
}

/** Gives each code in the table of errors an id to link to. */
function withErrorIds(html: string): string {
  const seen = new Set<string>();
  return html.replaceAll(/<tr>\n<td>(\d{4})<\/td>/g, (row, code: string) => {
    if (seen.has(code)) return row;
    seen.add(code);
    return `<tr id="${code}">\n<td><a href="#${code}">${code}</a></td>`;
  });
}

/** An empty header cell becomes an ordinary cell; a row of them is removed. */
function withoutEmptyHeaders(html: string): string {
  return html
    .replaceAll(/<th(?: align="\w+")?><\/th>/g, '<td></td>')
    .replace(/<thead>\n<tr>\n(?:<td><\/td>\n)+<\/tr>\n<\/thead>\n/, '');
}

/** The id that GitHub gives a heading, so that links work in both places. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function uniqueId(id: string, taken: Map<string, number>): string {
  const times = taken.get(id) ?? 0;
  taken.set(id, times + 1);
  return times === 0 ? id : `${id}-${times}`;
}

function passagesOf(tokens: Tokens.Generic[], headings: Heading[]): Passage[] {
  const left = headings.values();
  const passages: Passage[] = [];
  let current: Passage | undefined;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = left.next().value;
      current = heading && { id: heading.depth === 1 ? '' : heading.id, title: heading.text, text: '' };
      if (current) passages.push(current);
      continue;
    }
    // Examples of responses repeat what the tables say.
    const isExample = token.type === 'code' && token.lang === 'json';
    if (!current || token.type === 'html' || isExample) continue;
    const { rows, rest } = errorRowsOf(token);
    passages.push(...rows);
    current.text += ` ${rest}`;
  }
  return passages.map((passage) => ({ ...passage, text: plainText(passage.text) }));
}

/** One passage per code of a table of errors, with all of its rows, and the remaining text. */
function errorRowsOf(token: Tokens.Generic): { rows: Passage[]; rest: string } {
  const rows = new Map<string, Passage>();
  const rest = token.raw.split('\n').filter((line) => {
    const code = token.type === 'table' ? /^\| (\d{4}) \|/.exec(line)?.[1] : undefined;
    if (code === undefined) return true;
    const text = `${rows.get(code)?.text ?? ''} ${line}`;
    rows.set(code, { id: code, title: code, text });
    return false;
  });
  return { rows: [...rows.values()], rest: rest.join('\n') };
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/[`*|[\]#>]+|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function unescapeHtml(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
