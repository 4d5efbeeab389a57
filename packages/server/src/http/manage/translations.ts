import { changeTexts } from '../../domain/catalog/edits/languages-and-texts.ts';
import { byText, listTexts, reviewTexts } from '../../domain/catalog/text-states.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Nullable, Type } from '../../schema.ts';
import { ListResponse } from '../options/schemas.ts';
import { toPage } from '../paging.ts';
import { DraftQuery, EDIT, EDIT_LIMIT, openRequestedCatalog, respondToEdit } from './edit-options.ts';
import { pageOf, refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { ChangedMembers, EDITED_HEADERS, EditedResponse, PageQuery } from './schemas.ts';

/** A grid of hundreds of rows is read in a few pages. */
const MAX_ROWS = 5_000;

const MAX_TEXTS = 100_000;

const ChangedTextsMembers = Type.Object({
  ...ChangedMembers.properties,
  texts: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String(),
        language: Type.String({ description: 'its tag' }),
        text: Nullable(Type.String({ description: 'current text' })),
      }),
      { description: 'texts that differ from `was`' },
    ),
  ),
});

const MAX_REVIEWED = 5_000;

/** Texts of the catalog. */
export function translationRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  // The ETag covers the catalog; a review does not change the catalog.
  applicationRoute('GET', '/catalog/translations', {
    operationId: 'listTranslations',
    alwaysNew: true,
    summary: 'List all texts of the catalog',
    querystring: Type.Object({
      ...PageQuery.properties,
      ...DraftQuery.properties,
      limit: Type.Optional(Type.Integer({ minimum: 0, default: 50, description: `page size, at most ${MAX_ROWS}` })),
      missing: Type.Optional(
        Type.String({ description: 'only entries without a text in this language (name or tag)' }),
      ),
      outdated: Type.Optional(Type.String({ description: 'only entries with an outdated text in this language' })),
      unreviewed: Type.Optional(
        Type.String({ description: 'only entries with a text in this language that is not reviewed' }),
      ),
      search: Type.Optional(
        Type.String({ description: 'only entries with this in the path or a text, case-insensitive' }),
      ),
    }),
    response: {
      200: ListResponse(
        Type.Object({
          path: Type.String({
            description:
              'group, group/key or group/key=value; for a description one of the first two and //description',
          }),
          uid: Type.String({
            description: 'of the group or key, also for its description and values: it stays when the path changes',
          }),
          source: Type.String({ description: 'source text: the text in the default language, or the name' }),
          texts: Type.Record(Type.String(), Type.String(), { description: 'by tag' }),
          missing: Type.Array(Type.String({ description: 'tag of a language without a text' })),
          outdated: Type.Array(
            Type.String({ description: 'tag of a language whose text was made for an earlier source text' }),
          ),
          reviewed: Type.Array(
            Type.String({ description: 'tag of a language whose text was reviewed for this source' }),
          ),
        }),
      ),
    },
    responseHeaders: EDITED_HEADERS,
    async handle(context) {
      const { readQuery, application, linked } = context;
      const { draft: _, offset, limit, ...filter } = readQuery();
      const catalog = await openRequestedCatalog(service, context);
      const states = byText(await service.storage.textStates.list(application.appId));
      const page = pageOf({ offset, limit }, MAX_ROWS);
      const found = await inSlices(listTexts(catalog, states, filter, page));
      if ('unknown' in found) throw refuse(found.unknown, 'is not a language of this application');
      return linked(toPage(found.items, found.total, page));
    },
  });

  applicationRoute('PATCH', '/catalog/translations', {
    operationId: 'changeTranslations',
    ...EDIT,
    access: 'texts',
    bodyLimit: EDIT_LIMIT,
    summary: 'Change many texts at once, all or none',
    description:
      'With `was` in each text, If-Match: * is safe: if a text has changed, 9412 lists the current ones in `texts`.',
    body: Type.Object({
      texts: Type.Array(
        Type.Object({
          path: Type.String({ description: 'as in the list of texts' }),
          language: Type.String({ description: 'name or tag' }),
          text: Nullable(Type.String({ description: 'null removes it' })),
          was: Type.Optional(
            Nullable(
              Type.String({ description: 'the expected current text, null for none; if it differs, nothing changes' }),
            ),
          ),
        }),
        { maxItems: MAX_TEXTS },
      ),
    }),
    response: { 200: EditedResponse, 412: ChangedTextsMembers },
    handle: (context) => respondToEdit(service, context, () => changeTexts(context.readBody().texts)),
  });

  applicationRoute('POST', '/catalog/translations/review', {
    operationId: 'reviewTranslations',
    access: 'texts',
    bodyLimit: EDIT_LIMIT,
    summary: 'Mark texts as reviewed',
    description:
      'A review is of a text and its source as you saw them: a change of either ends it. Reviewing an outdated text makes it up to date. ' +
      'Texts that have changed are left out and listed in `changed`.',
    querystring: DraftQuery,
    body: Type.Object({
      texts: Type.Array(
        Type.Object({
          path: Type.String({ description: 'as in the list of texts' }),
          language: Type.String({ description: 'name or tag; not the default language' }),
          text: Type.String({ description: 'as you saw it' }),
          source: Type.String({ description: '`source` in the list of texts, as you saw it' }),
        }),
        { maxItems: MAX_REVIEWED },
      ),
      reviewed: Type.Optional(Type.Boolean({ default: true, description: 'false withdraws the review' })),
    }),
    response: {
      200: Type.Object({
        count: Type.Integer({ description: 'texts marked' }),
        changed: Type.Array(Type.Object({ path: Type.String(), language: Type.String() })),
      }),
    },
    responseHeaders: EDITED_HEADERS,
    async handle(context) {
      const { application, manager, readBody } = context;
      const { texts, reviewed = true } = readBody();
      const languages = manager.languagesOf(application.appId);
      const catalog = await openRequestedCatalog(service, context);
      return reviewTexts(service, application, catalog, { texts, reviewed, languages });
    },
  });
}
