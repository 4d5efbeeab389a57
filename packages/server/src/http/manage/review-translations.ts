import { reviewTexts } from '../../domain/catalog/review-texts.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const MAX_TEXTS = 5_000;

const schema = {
  operationId: 'reviewTranslations',
  summary: 'Mark texts as reviewed',
  description:
    'A review is of a text and its source as you saw them: a change of either ends it. An outdated text that is reviewed is up to date. ' +
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
      { maxItems: MAX_TEXTS },
    ),
    reviewed: Type.Optional(Type.Boolean({ default: true, description: 'false withdraws the review' })),
  }),
  response: {
    200: Type.Object({
      count: Type.Integer({ description: 'texts marked' }),
      changed: Type.Array(Type.Object({ path: Type.String(), language: Type.String() })),
    }),
  },
  answerHeaders: EDITED_HEADERS,
};

export function reviewTranslationsRoute(app: Routes, service: Service): void {
  const path = '/catalog/translations/review';
  const operation = { method: 'POST', path, schema, access: 'texts', bodyLimit: EDIT_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, manager, readBody } = context;
    const { texts, reviewed = true } = readBody();
    const languages = manager.languagesOf(application.appId);
    return reviewTexts(service, application, await openAsked(service, context), { texts, reviewed, languages });
  });
}
