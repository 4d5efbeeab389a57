import type { Language, Scalar } from '../../domain/catalog/catalog.ts';
import { parseValue } from '../../domain/catalog/check-value.ts';
import type { PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { type OpenedLink, openLink, saveByLink } from '../../domain/preferences/links.ts';
import { fill, type PageWords } from '../../domain/preferences/page-texts.ts';
import type { WantedSelection } from '../../domain/selections/check-selection.ts';
import { effectiveSelections } from '../../domain/selections/effective.ts';
import { isOpenText, type OpenText, textsOf } from '../../domain/selections/open-texts.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';
import {
  type Entered,
  type Field,
  type FieldView,
  readField,
  readForm,
  readTexts,
  renderField,
  toTexts,
} from './fields.ts';
import { type Html, html } from './html.ts';
import { failAsPageIn, inWords, type PageLanguage, pageLanguage, sendPage } from './page.ts';

/** The same limit as for a PUT of user options. */
const MAX_CHANGES = 500;

/** The options of the user that a link names. GET changes nothing. */
export function preferencePageRoutes(app: Routes, service: Service, words: PageWords): void {
  const options = { schema: { hide: true }, failAsPage: failAsPageIn(words) };
  app.get('/p/:link', options, async (request, reply) => {
    const opened = await open(service, request);
    return show(service, words, request, reply, opened, {});
  });
  app.post('/p/:link', options, async (request, reply) => {
    const opened = await open(service, request);
    const form = readForm(request.body);
    const language = languageOf(request, opened);
    const entered = keysOf(opened).flatMap((placed) => readField(form, placed) ?? []);
    const touched = entered.filter(({ isTouched }) => isTouched);
    if (touched.length === 0) return show(service, words, request, reply, opened, { note: 'unchanged' });
    if (touched.length > MAX_CHANGES) throw new InnkeeperError('badRequest');
    try {
      await saveByLink(service, opened, 'preference_link', () => touched.map((each) => toWanted(each, language)));
    } catch (error) {
      const wrong = wrongKeys(error);
      if (!wrong) throw error;
      return show(service, words, request, reply.code(422), opened, { note: 'notSaved', entered, wrong });
    }
    return show(service, words, request, reply, opened, { note: 'saved' });
  });
}

/** Opens the link in the path. The request log gets the user, never the link. */
async function open(service: Service, request: HttpRequest): Promise<OpenedLink> {
  const opened = await openLink(service, request.params.link ?? '');
  const { application, user } = opened;
  request.about = { appId: application.appId, userId: user.userId };
  request.admission.admitApplication(application, 'options');
  return opened;
}

/** The language chosen on the page, else the link's, else the browser's. */
function languageOf({ query, headers }: HttpRequest, { catalog, link }: OpenedLink): Language | undefined {
  const { languages } = catalog;
  const chosen = typeof query.language === 'string' ? languages.find(query.language) : undefined;
  return chosen ?? languages.find(link.language ?? '') ?? languages.negotiate(headers['accept-language']);
}

function keysOf({ groups, catalog }: OpenedLink): PlacedKey[] {
  const shown = new Set(groups);
  return catalog.keys.filter(({ group }) => shown.has(group));
}

function toWanted({ placed, texts }: Entered, language: Language | undefined): WantedSelection {
  const { keyNo } = placed.key;
  return { placed, values: readTexts(placed.key, texts), language, place: keyNo, field: `${keyNo}.` };
}

/** The numbers of the keys that a refusal rejects. */
function wrongKeys(error: unknown): Set<number> | undefined {
  if (!(error instanceof InnkeeperError) || !['valueNotAllowed', 'keyArchived'].includes(error.error)) return undefined;
  return new Set((error.fields ?? []).map(({ field }) => Number(field.split('.', 1)[0])));
}

type State = {
  note?: 'saved' | 'unchanged' | 'notSaved';
  entered?: readonly Entered[];
  wrong?: ReadonlySet<number>;
};

async function show(
  service: Service,
  words: PageWords,
  request: HttpRequest,
  reply: HttpReply,
  opened: OpenedLink,
  { note, entered = [], wrong = new Set() }: State,
): Promise<HttpReply> {
  const { application, catalog, groups } = opened;
  const language = languageOf(request, opened);
  const page = pageLanguage(words, language?.tag);
  const { texts } = page;
  const view: FieldView = { catalog, language, page };
  const values = await currentValues(service, opened, language);
  const kept = new Map(entered.map((each) => [each.placed, each.texts]));
  const fieldOf = (placed: PlacedKey): Field => {
    const { key } = placed;
    const value = values.get(key.keyNo);
    const shown = toTexts(key, value);
    const held = value === undefined ? [] : [value].flat();
    return { placed, shown, texts: kept.get(placed) ?? shown, held, isWrong: wrong.has(key.keyNo) };
  };
  const keysByGroup = Map.groupBy(keysOf(opened), ({ group }) => group);
  const renderSections = function* (): Generator<Html, void> {
    for (const group of groups) {
      const keys = keysByGroup.get(group) ?? [];
      if (keys.length === 0) continue;
      const id = `g${keys[0]?.key.keyNo}`;
      const about = catalog.languages.textFor<string | undefined>(group.descriptions, language, undefined).text;
      yield html`<section aria-labelledby="${id}"><h2 id="${id}"><span dir="auto">${catalog.languages.textFor(group.texts, language, group.name).text}</span></h2>${about !== undefined && html`<p class="hint"><span dir="auto">${about}</span></p>`}`;
      for (const placed of keys) yield* renderField(view, fieldOf(placed));
      yield html`</section>
`;
    }
  };
  const announcement =
    note &&
    html`<p class="note ${note === 'notSaved' ? 'failed' : 'done'}" role="${note === 'notSaved' ? 'alert' : 'status'}" tabindex="-1" autofocus>${inWords(page, texts[note])}</p>`;
  const renderMain = function* (): Generator<Html, void> {
    if (announcement) yield announcement;
    if (keysByGroup.size === 0) {
      yield html`<div class="box"><p>${inWords(page, texts.nothingHere)}</p></div>`;
      return;
    }
    yield html`<form method="post" action="${language ? `?language=${encodeURIComponent(language.tag)}` : '?'}" novalidate>`;
    yield* renderSections();
    yield html`<button>${inWords(page, texts.save)}</button></form>`;
  };
  return sendPage(reply, {
    language: page,
    title: texts.title,
    application,
    nav: languageNav(view),
    main: renderMain(),
  });
}

/** The user's effective values, by key number; free text in the language of the page. */
async function currentValues(
  service: Service,
  { catalog, user }: OpenedLink,
  language: Language | undefined,
): Promise<Map<number, Scalar | Scalar[]>> {
  const saved = await service.storage.selections.list(user.userId);
  const effective = await effectiveSelections(service, user.appId, catalog, saved);
  return new Map(
    effective.map(({ placed: { key }, source, record }) => {
      if (source === 'default' || !record) return [key.keyNo, key.defaultValue as Scalar | Scalar[]];
      const value = parseValue(record.value);
      if (!isOpenText(key)) return [key.keyNo, value];
      return [key.keyNo, catalog.languages.textFor<OpenText>(textsOf(record), language, value as OpenText).text];
    }),
  );
}

function languageNav({ catalog: { languages }, language, page }: FieldView): Html | undefined {
  if (languages.all.length < 2) return undefined;
  return html`<nav aria-label="${page.texts.language}"><ul>${languages.all.map(
    ({ name, tag }) =>
      html`<li><a href="?language=${encodeURIComponent(tag)}" lang="${tag}" hreflang="${tag}"${tag === language?.tag && html` aria-current="true"`}>${name}</a></li>`,
  )}</ul></nav>`;
}

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
