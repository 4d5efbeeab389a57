import { loadExported } from '../../domain/catalog/import-texts.ts';
import type { MergedText } from '../../domain/catalog/merge-texts.ts';
import { unpack } from '../../domain/packed.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices, mapSteps } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';
import { APPLICATION } from './examples.ts';
import { checkMembers } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { Nullable } from './schemas.ts';
import { EXAMPLE_FILE, TextsFileShape } from './texts-file-body.ts';
import { toStored, UPLOAD_LIMIT } from './uploads.ts';

const schema = {
  operationId: 'previewTranslations',
  summary: 'See what the texts of a file would change, without changing anything',
  querystring: DraftQuery,
  body: Type.Object(TextsFileShape),
  response: {
    200: Type.Object(
      {
        revision: Type.Integer({ description: 'that it was compared with' }),
        exportedRevision: Nullable(Type.Integer({ description: 'that the file was exported from, where it tells' })),
        same: Type.Integer({ description: 'how many texts of the file change nothing' }),
        texts: Type.Array(
          Type.Object({
            path: Type.String(),
            language: Type.String({ description: 'its tag' }),
            line: Type.Integer({ description: 'where it stands in the file' }),
            kind: Type.Enum(['new', 'changed', 'conflict'], {
              description: 'conflict: it was changed both in the file and in the catalog since the export',
            }),
            before: Nullable(Type.String({ description: 'in the catalog now' })),
            text: Type.String({ description: 'in the file' }),
            exported: Nullable(Type.String({ description: 'when the file was exported, where that is known' })),
            source: Nullable(
              Type.Object(
                { was: Type.String(), is: Type.String() },
                { description: 'what it was translated from and what there is now, where they differ' },
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
            description: `what cannot be taken: of no language or nothing there is, twice, or no good text; the first 200`,
          },
        ),
      },
      { title: 'TranslationsPreview' },
    ),
  },
  answerHeaders: { ETag: 'the revision that it was compared with: If-Match of the import itself' },
  errors: ['textsFileInvalid'] as const,
  examples: {
    theme: {
      summary: 'One text in another word, one as it is',
      params: APPLICATION,
      body: { file: EXAMPLE_FILE },
      status: 200,
      answer: {
        revision: 1,
        exportedRevision: null,
        same: 1,
        texts: [
          {
            path: 'appearance/theme',
            language: 'de',
            line: 2,
            kind: 'changed',
            before: 'Farbschema',
            text: 'Farben',
            exported: null,
            source: null,
          },
        ],
        problems: [],
      },
    },
  },
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
    checkMembers(members, ['name']);
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
