import { listTexts } from '../../domain/catalog/list-texts.ts';
import { byText } from '../../domain/catalog/text-states.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import { ListAnswer } from '../options/schemas.ts';
import { linkHeader, toListing } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { pageOf, refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, PageQuery } from './schemas.ts';

/** A grid of hundreds of rows is read in a few pages. */
const MAX_ROWS = 5_000;

const schema = {
  operationId: 'listTranslations',
  summary: 'List all texts of the catalog',
  querystring: Type.Object({
    ...PageQuery.properties,
    ...DraftQuery.properties,
    limit: Type.Optional(Type.Integer({ minimum: 0, default: 50, description: `page size, at most ${MAX_ROWS}` })),
    missing: Type.Optional(Type.String({ description: 'only entries without a text in this language (name or tag)' })),
    outdated: Type.Optional(Type.String({ description: 'only entries with an outdated text in this language' })),
    unreviewed: Type.Optional(
      Type.String({ description: 'only entries with a text in this language that is not reviewed' }),
    ),
    search: Type.Optional(
      Type.String({ description: 'only entries with this in the path or a text, case-insensitive' }),
    ),
  }),
  response: {
    200: ListAnswer(
      Type.Object({
        path: Type.String({
          description: 'group, group/key or group/key=value; for a description one of the first two and //description',
        }),
        source: Type.String({ description: 'source text: the text in the default language, or the name' }),
        texts: Type.Record(Type.String(), Type.String(), { description: 'by tag' }),
        missing: Type.Array(Type.String({ description: 'tag of a language without a text' })),
        outdated: Type.Array(
          Type.String({ description: 'tag of a language whose text was made for an earlier source text' }),
        ),
        reviewed: Type.Array(Type.String({ description: 'tag of a language whose text was reviewed for this source' })),
      }),
    ),
  },
  answerHeaders: EDITED_HEADERS,
};

export function listTranslationsRoute(app: Routes, service: Service): void {
  // The ETag is of the catalog; a review changes no catalog.
  const operation = { method: 'GET', path: '/catalog/translations', schema, alwaysNew: true } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, query, readQuery, reply } = context;
    const { draft: _, offset, limit, ...filter } = readQuery();
    const catalog = await openAsked(service, context);
    const states = byText(await service.storage.textStates.list(application.appId));
    const texts = await inSlices(listTexts(catalog, states, filter));
    if ('unknown' in texts) throw refuse(texts.unknown, 'is not a language of this application');
    const listing = toListing(texts, pageOf({ offset, limit }, MAX_ROWS));
    const link = linkHeader(`/manage/v1/applications/${application.clientId}/catalog/translations`, query, listing);
    if (link !== undefined) reply.header('link', link);
    return listing;
  });
}
