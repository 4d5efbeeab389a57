import { loadExported } from '../../domain/catalog/import-texts.ts';
import type { MergedText } from '../../domain/catalog/merge-texts.ts';
import { unpack } from '../../domain/packed.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices, mapSteps } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { requireShape } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { Nullable } from './schemas.ts';
import { TextsFileShape } from './texts-file-body.ts';
import { toStored, UPLOAD_LIMIT } from './uploads.ts';

const schema = {
  operationId: 'previewTranslations',
  summary: 'Preview a texts file without importing it',
  querystring: DraftQuery,
  body: Type.Object(TextsFileShape),
  response: {
    200: Type.Object(
      {
        revision: Type.Integer({ description: 'the revision it was compared with' }),
        exportedRevision: Nullable(Type.Integer({ description: 'revision the file was exported from, if known' })),
        same: Type.Integer({ description: 'number of unchanged texts' }),
        texts: Type.Array(
          Type.Object({
            path: Type.String(),
            language: Type.String({ description: 'its tag' }),
            line: Type.Integer({ description: 'position in the file' }),
            kind: Type.Enum(['new', 'changed', 'conflict'], {
              description: 'conflict: changed both in the file and in the catalog since the export',
            }),
            before: Nullable(Type.String({ description: 'currently in the catalog' })),
            text: Type.String({ description: 'in the file' }),
            exported: Nullable(Type.String({ description: 'at the time of the export, if known' })),
            source: Nullable(
              Type.Object(
                { was: Type.String(), is: Type.String() },
                { description: 'the source it was translated from and the current one, if they differ' },
              ),
            ),
          }),
        ),
        problems: Type.Array(
          Type.Object({
            line: Type.Integer(),
            path: Type.String(),
            language: Nullable(Type.String({ description: 'its tag' })),
            message: Type.String(),
          }),
          {
            description: 'invalid entries: unknown language or path, duplicate, or invalid text; the first 200',
          },
        ),
      },
      { title: 'TranslationsPreview' },
    ),
  },
  answerHeaders: { ETag: 'the revision it was compared with; send it as If-Match to import' },
  errors: ['textsFileInvalid'] as const,
};

export function previewTranslationsRoute(app: Routes, service: Service): void {
  const operation = {
    method: 'POST',
    path: '/catalog/translations/preview',
    schema,
    access: 'read',
    bodyLimit: UPLOAD_LIMIT,
  } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, body } = context;
    const { members, stamp, entries } = await service.work.run('readTextsBody', { body }, application);
    requireShape(Type.Object({ name: TextsFileShape.name }), members);
    const catalog = await openAsked(service, context);
    const base = await loadExported(service.storage, application, stamp);
    const input = { entries, catalog: await toStored(catalog), base: base && (await toStored(base)) };
    const { same, texts, problems } = await service.work.run('previewTexts', input, application);
    return {
      revision: catalog.revision,
      exportedRevision: base?.revision ?? null,
      same,
      texts: await inSlices(mapSteps(await inSlices(unpack(texts)), viewText)),
      problems: problems.map(({ line, path, tag, message }) => ({ line, path, language: tag ?? null, message })),
    };
  });
}

function viewText({ path, tag, line, isConflict, before, text, exported, source }: MergedText) {
  return {
    path,
    language: tag,
    line,
    kind: isConflict ? 'conflict' : before === null ? 'new' : 'changed',
    before,
    text,
    exported: exported ?? null,
    source: source ?? null,
  };
}
