import { exportTexts, TEXT_FORMATS, type TextFormat } from '../../domain/catalog/export-texts.ts';
import { catalogAt } from '../../domain/catalog/revisions.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { refuse } from './input.ts';
import { applicationRoute, FileAnswer } from './manage-route.ts';

const TYPES: Record<TextFormat, string> = { csv: 'text/csv', xliff: 'application/xliff+xml' };

const schema = {
  operationId: 'exportTranslations',
  summary: 'Download the texts as a file for a spreadsheet or a translation tool',
  description:
    'CSV contains all languages, or those in `language`; XLIFF 2.0 contains one. The file records its revision, so an import detects conflicting changes.',
  querystring: Type.Object({
    format: Type.Optional(Type.Enum([...TEXT_FORMATS], { default: 'csv' })),
    language: Type.Optional(Type.String({ description: 'name or tag; several for CSV, separated by commas' })),
    ...DraftQuery.properties,
    revision: Type.Optional(Type.Integer({ minimum: 0, description: 'an earlier revision; without it, the newest' })),
  }),
  errors: ['revisionNotFound'] as const,
  response: { 200: Type.String() },
  produces: Object.values(TYPES),
  answerHeaders: { 'Content-Disposition': 'file name' },
};

export function exportTranslationsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/catalog/translations/export', schema } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, readQuery } = context;
    const { format = 'csv', language = '', revision, draft = false } = readQuery();
    if (draft && revision !== undefined) throw refuse('revision', 'cannot be combined with draft');
    const languages = language.split(',').filter((word) => word.trim() !== '');
    const catalog =
      revision === undefined
        ? await openAsked(service, context)
        : await catalogAt(service.storage, application.appId, revision);
    // A file is known by its bytes: they hold more than the catalog.
    context.reply.removeHeader('etag');
    const { name, content } = await inSlices(exportTexts(application, catalog, { format, languages }));
    return new FileAnswer(TYPES[format], name, content);
  });
}
