import { findMissingTexts } from '../../domain/catalog/plan.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import { ListAnswer } from '../options/schemas.ts';
import { linkHeader, toListing } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { pageOf } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, PageQuery } from './schemas.ts';

const schema = {
  operationId: 'listLanguages',
  summary: 'List the languages of an application with their progress',
  querystring: Type.Object({ ...PageQuery.properties, ...DraftQuery.properties }),
  response: {
    200: ListAnswer(
      Type.Object({
        name: Type.String(),
        tag: Type.String(),
        default: Type.Boolean(),
        texts: Type.Integer({ description: 'total' }),
        missing: Type.Integer({ description: 'missing; in the default language, names are used instead' }),
      }),
    ),
  },
  answerHeaders: EDITED_HEADERS,
};

export function listLanguagesRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/catalog/languages', schema } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, query, readQuery, reply } = context;
    const catalog = await openAsked(service, context);
    const missing = new Map((await inSlices(findMissingTexts(catalog))).map((each) => [each.language, each]));
    const total = Math.max(0, ...[...missing.values()].map((each) => each.total));
    const languages = catalog.languages.map(({ name, tag, isDefault }) => ({
      name,
      tag,
      default: isDefault,
      texts: missing.get(name)?.total ?? total,
      missing: missing.get(name)?.count ?? 0,
    }));
    const listing = toListing(languages, pageOf(readQuery()));
    const link = linkHeader(`/manage/v1/applications/${application.clientId}/catalog/languages`, query, listing);
    if (link !== undefined) reply.header('link', link);
    return listing;
  });
}
