import { createHash } from 'node:crypto';
import type { Application } from '../../domain/applications/application.ts';
import { createLanguages } from '../../domain/catalog/languages.ts';
import type { InnkeeperError } from '../../domain/errors.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { Html, html } from './html.ts';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';
import { PAGE_LANGUAGES, type PageTexts, pageTexts } from './page-texts.ts';

/** The language that a page is in: that of the catalog's texts, and the words of the page in it, else in English. */
export type PageLanguage = { tag: string; texts: PageTexts & { tag: string } };

export function pageLanguage(tag: string | undefined): PageLanguage {
  const texts = pageTexts(tag);
  return { tag: tag ?? texts.tag, texts };
}

type Page = {
  language: PageLanguage;
  title: string;
  /** Whose page it is; without one it says nothing of anybody. */
  application?: Application;
  /** Other languages to read it in. */
  nav?: Html | undefined;
  main: Html;
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** From here alone, and nothing inline but these two. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join('; ');

export function sendPage(reply: HttpReply, { language, title, application, nav, main }: Page): HttpReply {
  const ancestors = framers(application);
  if (ancestors === "'none'") reply.header('x-frame-options', 'DENY');
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', `${POLICY}; frame-ancestors ${ancestors}`)
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .header('cache-control', 'no-store');
  const page = html`<!doctype html>
<html lang="${language.tag}" dir="${directionOf(language.tag)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}${application && ` – ${application.name}`}</title><style>${new Html(STYLE)}</style></head>
<body><div class="page"><header>${application && html`<p class="app" dir="auto">${application.name}</p>`}${nav}</header>
<main><h1>${inWords(language, title)}</h1>
${main}</main></div><script>${new Html(SCRIPT)}</script></body></html>
`;
  return reply.send(page.text);
}

/** Origins of the application, which may show the page inside theirs. */
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

/** Words of the page itself, marked where they are in another language than the rest. */
export function inWords({ tag, texts }: PageLanguage, text: string): Html {
  return tag.split('-')[0]?.toLowerCase() === texts.tag
    ? html`${text}`
    : html`<span lang="${texts.tag}" dir="${directionOf(texts.tag)}">${text}</span>`;
}

const SPOKEN = createLanguages(PAGE_LANGUAGES.map((tag) => ({ name: tag, tag, isDefault: tag === 'en' })));

/** One page for every link that does not work, and one for every other failure. */
export function failAsPage(request: HttpRequest, reply: HttpReply, { status }: InnkeeperError): void {
  const language = pageLanguage(SPOKEN.negotiate(request.headers['accept-language'])?.tag);
  const { invalid, invalidAbout, later, laterAbout } = language.texts;
  const [title, about] = status === 404 ? [invalid, invalidAbout] : [later, laterAbout];
  sendPage(reply, { language, title, main: html`<div class="box"><p>${about}</p></div>` });
}
