import { InnkeeperError } from '../../domain/errors.ts';
import { type OpenedLink, saveByLink } from '../../domain/preferences/open-link.ts';
import { fill, type PageWords } from '../../domain/preferences/page-texts.ts';
import type { WantedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';
import { type Html, html } from './html.ts';
import { failAsPageIn, inWords, type PageLanguage, pageLanguage, sendPage } from './page.ts';
import { languageOf, open } from './preference-page.ts';

/**
 * RFC 8058. Mail clients send the POST by themselves, without cookies and from anywhere, and follow no redirect. Mail
 * scanners send GETs, which show a button and change nothing.
 */
export function unsubscribeRoutes(app: Routes, service: Service, words: PageWords): void {
  const options = { schema: { hide: true }, failAsPage: failAsPageIn(words) };
  app.get('/u/:link', options, async (request, reply) => {
    const opened = await openToUnsubscribe(service, request);
    const language = pageLanguage(words, languageOf(request, opened)?.tag);
    const { unsubscribe, unsubscribeAbout } = language.texts;
    const about = inWords(language, fill(unsubscribeAbout, { application: opened.application.name }));
    const form = html`<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${inWords(language, unsubscribe)}</button></form>`;
    return sendPage(reply, {
      language,
      title: unsubscribe,
      application: opened.application,
      main: html`<div class="box"><p>${about}</p>${form}</div>${pageLink(request, language)}`,
    });
  });

  app.post('/u/:link', options, async (request, reply) => {
    const opened = await openToUnsubscribe(service, request);
    const { application } = opened;
    const language = pageLanguage(words, languageOf(request, opened)?.tag);
    const { texts } = language;
    const more = pageLink(request, language);
    try {
      await saveByLink(service, opened, 'unsubscribe', () => wantedOf(opened));
    } catch (error) {
      if (!(error instanceof InnkeeperError) || error.error !== 'valueNotAllowed') throw error;
      // The catalog has changed since: the page shows what is offered now.
      const main = html`<p class="note failed" role="alert">${inWords(language, texts.notOffered)}</p>${more}`;
      return sendPage(reply.code(422), { language, title: texts.unsubscribe, application, main });
    }
    const about = inWords(language, fill(texts.unsubscribedAbout, { application: application.name }));
    const main = html`<p class="note done" role="status" tabindex="-1" autofocus>${about}</p>${more}`;
    return sendPage(reply, { language, title: texts.unsubscribed, application, main });
  });
}

async function openToUnsubscribe(service: Service, request: HttpRequest): Promise<OpenedLink> {
  const opened = await open(service, request);
  if (opened.link.unsubscribe.length === 0) throw new InnkeeperError('preferenceLinkInvalid');
  return opened;
}

/** Keys that no longer exist are skipped: there is nothing to unsubscribe from. */
function wantedOf({ catalog, link }: OpenedLink): WantedSelection[] {
  const language = catalog.languages.find(link.language ?? '');
  return link.unsubscribe.flatMap(({ keyNo, values }, place) => {
    const placed = catalog.keyByNo.get(keyNo);
    return placed && !placed.key.archived ? [{ placed, values, language, place, field: '' }] : [];
  });
}

/** The same link opens the page with all options. */
function pageLink({ params }: HttpRequest, language: PageLanguage): Html {
  return html`<p><a href="../p/${params.link}">${inWords(language, language.texts.title)}</a></p>`;
}
