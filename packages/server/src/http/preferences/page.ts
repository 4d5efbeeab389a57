import { createHash } from 'node:crypto';
import type { Application } from '../../domain/applications/application.ts';
import { readableAccent } from '../../domain/applications/look.ts';
import { createLanguages } from '../../domain/catalog/languages.ts';
import type { InnkeeperError } from '../../domain/errors.ts';
import { baseOf, type LocalizedPageWords, type PageWords } from '../../domain/preferences/page-texts.ts';
import { CHUNK, inChunks } from '../bodies.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { Html, html } from './html.ts';
import { DARK_CARD, LIGHT_PAGE, SCRIPT, STYLE } from './page-assets.ts';

/** The language of a page: that of the catalog's texts, with the page's own texts in it or else in English. */
export type PageLanguage = { tag: string; texts: LocalizedPageWords };

export function pageLanguage(words: PageWords, tag: string | undefined): PageLanguage {
  const texts = words.find(tag);
  return { tag: tag ?? texts.tag, texts };
}

type Page = {
  language: PageLanguage;
  title: string;
  /** Whose page it is; without one, it names no application. */
  application?: Application;
  /** Links to the other languages. */
  nav?: Html | undefined;
  /** In pieces if it may be long: those beyond the first chunk are made while it is sent. */
  main: Html | Iterable<Html>;
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const [SCRIPT_HASH, STYLE_HASH] = [hashOf(SCRIPT), hashOf(STYLE)];

/** Same origin only, and nothing inline except this script, these styles and the application's logo. */
function policyOf(colors: string, logo: string, ancestors: string): string {
  return [
    "default-src 'none'",
    `script-src ${SCRIPT_HASH}`,
    `style-src ${STYLE_HASH}${colors === '' ? '' : ` ${hashOf(colors)}`}`,
    ...(logo === '' ? [] : ['img-src data:']),
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** Replaces the style's accent colour by the application's. */
function colorsOf(accentColor: string): string {
  if (accentColor === '') return '';
  const write = (background: string): string => {
    const { accent, onAccent } = readableAccent(accentColor, background);
    return `:root{--key:${accent};--onkey:${onAccent}}`;
  };
  return `${write(LIGHT_PAGE)}@media (prefers-color-scheme:dark){${write(DARK_CARD)}}`;
}

const HTML_TYPE = 'text/html; charset=utf-8';
const END = html`</div><script>${new Html(SCRIPT)}</script></body></html>
`;

export function sendPage(reply: HttpReply, { language, title, application, nav, main }: Page): HttpReply {
  const { accentColor, logo } = application?.settings ?? { accentColor: '', logo: '' };
  const colors = colorsOf(accentColor);
  const ancestors = framers(application);
  if (ancestors === "'none'") reply.header('x-frame-options', 'DENY');
  reply
    .header('content-security-policy', policyOf(colors, logo, ancestors))
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .header('cache-control', 'no-store');
  const start = html`<!doctype html>
<html lang="${language.tag}" dir="${directionOf(language.tag)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}${application && ` – ${application.name}`}</title><style>${new Html(STYLE)}</style>${colors !== '' && html`<style>${new Html(colors)}</style>`}</head>
<body><div class="page"><header>${application && html`<p class="app">${logo !== '' && html`<img class="logo" src="${logo}" alt="">`}<span dir="auto">${application.name}</span></p>`}${nav}</header>
<main><h1>${inWords(language, title)}</h1>
`;
  // The script shows the note when a request fails.
  const failed = html`<p class="note failed" role="alert" tabindex="-1">${inWords(language, language.texts.later)}</p>`;
  const end = html`</main><template>${failed}</template>${END}`;
  if (main instanceof Html) return reply.type(HTML_TYPE).send(start.text + main.text + end.text);
  const texts = textsOf([[start], main, [end]]);
  let beginning = '';
  for (let made = texts.next(); !made.done; made = texts.next()) {
    beginning += made.value;
    if (beginning.length >= CHUNK) return reply.stream(HTML_TYPE, inChunks(texts, beginning));
  }
  return reply.type(HTML_TYPE).send(beginning);
}

function* textsOf(parts: readonly Iterable<Html>[]): Generator<string, void> {
  for (const pieces of parts) for (const { text } of pieces) yield text;
}

/** The application's origins, which may embed the page. */
function framers(application: Application | undefined): string {
  const origins = application?.settings.allowedOrigins ?? [];
  if (origins.includes('*')) return '*';
  const plain = origins.filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin));
  return plain.length > 0 ? plain.join(' ') : "'none'";
}

function directionOf(tag: string): 'ltr' | 'rtl' {
  try {
    const locale = new Intl.Locale(tag) as Intl.Locale & { getTextInfo(): { direction: 'ltr' | 'rtl' } };
    return locale.getTextInfo().direction;
  } catch {
    return 'ltr';
  }
}

/** The page's own texts, marked if their language differs from the rest. */
export function inWords({ tag, texts }: PageLanguage, text: string): Html {
  return baseOf(tag) === baseOf(texts.tag)
    ? html`${text}`
    : html`<span lang="${texts.tag}" dir="${directionOfWords(texts)}">${text}</span>`;
}

const directions = new WeakMap<LocalizedPageWords, 'ltr' | 'rtl'>();

/** Cached per language: it is needed for every hint. */
function directionOfWords(texts: LocalizedPageWords): 'ltr' | 'rtl' {
  const direction = directions.get(texts) ?? directionOf(texts.tag);
  directions.set(texts, direction);
  return direction;
}

/** One page for all links that do not work, and one for all other failures. */
export function failAsPageIn(words: PageWords) {
  const spoken = createLanguages(words.tags.map((tag) => ({ name: tag, tag, isDefault: tag === 'en' })));
  return (request: HttpRequest, reply: HttpReply, { status }: InnkeeperError): void => {
    const language = pageLanguage(words, spoken.negotiate(request.headers['accept-language'])?.tag);
    const { invalid, invalidAbout, later, laterAbout } = language.texts;
    const [title, about] = status === 404 ? [invalid, invalidAbout] : [later, laterAbout];
    sendPage(reply, { language, title, main: html`<div class="box"><p>${about}</p></div>` });
  };
}
