import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { exportTexts, TEXT_FORMATS, type TextFormat } from '../../domain/catalog/export-texts.ts';
import { applyImportedTexts, type ImportScope, loadExported } from '../../domain/catalog/import-texts.ts';
import type { MergedText, OutdatedText } from '../../domain/catalog/merge-texts.ts';
import { catalogAt } from '../../domain/catalog/revisions.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices, mapSteps, unpack } from '../../domain/slices.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import {
  DraftQuery,
  EditQuery,
  IfMatchHeader,
  openRequestedCatalog,
  readEditOptions,
  respondEdited,
  toStored,
  UPLOAD_LIMIT,
} from './edit-options.ts';
import { refuse, requireShape } from './input.ts';
import { FileResponse, type ManageRoutes } from './manage-route.ts';
import { EDITED_HEADERS, EditedResponse } from './schemas.ts';

const TYPES: Record<TextFormat, string> = { csv: 'text/csv', xliff: 'application/xliff+xml' };

const MAX_TAKEN = 100_000;

/** Body members of a file with texts. */
const TextsFileShape = {
  file: Type.String({ description: 'content of the CSV or XLIFF 2 file' }),
  name: Type.Optional(Type.String({ description: 'file name; distinguishes XLIFF from CSV if the content does not' })),
};

const Outdated = Type.Object({
  path: Type.String(),
  language: Type.String({ description: 'its name' }),
  line: Type.Integer({ description: 'position in the file' }),
  was: Type.String({ description: 'the text it was translated from' }),
  is: Type.String({ description: 'the current text' }),
});

const Conflict = Type.Object({
  path: Type.String(),
  language: Type.String({ description: 'its name' }),
  line: Type.Integer({ description: 'position in the file' }),
  inFile: Type.String(),
  inCatalog: Nullable(Type.String()),
});

/** All members but the file, which a worker thread reads. */
const Members = Type.Object({
  name: TextsFileShape.name,
  prefer: Type.Optional(
    Type.Enum(['file', 'catalog'], {
      description: 'which text wins if both changed since the export; without it 9409',
    }),
  ),
  take: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), language: Type.String({ description: 'name or tag' }) }), {
      maxItems: MAX_TAKEN,
      description: 'import only these texts, overwriting the catalog',
    }),
  ),
});

/** Texts of the catalog as files for spreadsheets and translation tools. */
export function translationFileRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/catalog/translations/export', {
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
    errors: ['revisionNotFound'],
    response: { 200: Type.String() },
    produces: Object.values(TYPES),
    responseHeaders: { 'Content-Disposition': 'file name' },
    async handle(context) {
      const { application, readQuery } = context;
      const { format = 'csv', language = '', revision, draft = false } = readQuery();
      if (draft && revision !== undefined) throw refuse('revision', 'cannot be combined with draft');
      const languages = language.split(',').filter((word) => word.trim() !== '');
      const catalog =
        revision === undefined
          ? await openRequestedCatalog(service, context)
          : await catalogAt(service.storage, application.appId, revision);
      // The tag of a file must be of its bytes: they contain more than the catalog.
      context.reply.removeHeader('etag');
      const { name, content } = await inSlices(exportTexts(application, catalog, { format, languages }));
      return new FileResponse(TYPES[format], name, content);
    },
  });

  applicationRoute('POST', '/catalog/translations/preview', {
    operationId: 'previewTranslations',
    access: 'read',
    bodyLimit: UPLOAD_LIMIT,
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
    responseHeaders: { ETag: 'the revision it was compared with; send it as If-Match to import' },
    errors: ['textsFileInvalid'],
    async handle(context) {
      const { application, body } = context;
      const { members, stamp, entries } = await service.work.run('readTextsBody', { body }, application);
      requireShape(Type.Object({ name: TextsFileShape.name }), members);
      const catalog = await openRequestedCatalog(service, context);
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
    },
  });

  applicationRoute('POST', '/catalog/translations/import', {
    operationId: 'importTranslations',
    access: 'texts',
    bodyLimit: UPLOAD_LIMIT,
    summary: 'Import texts from a CSV or XLIFF 2 file, all or none',
    description:
      'From a file exported by this application, only changed texts are imported. An empty cell removes nothing.',
    headers: IfMatchHeader,
    querystring: Type.Object({ draft: EditQuery.properties.draft, note: EditQuery.properties.note }),
    body: Type.Object({ ...TextsFileShape, ...Members.properties }),
    response: {
      200: Type.Object(
        {
          ...EditedResponse.properties,
          outdated: Type.Array(Outdated, { description: 'texts to review: their source has changed' }),
        },
        { title: 'ImportedTranslations' },
      ),
      409: Type.Object({ conflicts: Type.Array(Conflict, { description: 'at most 200' }) }),
    },
    responseHeaders: EDITED_HEADERS,
    errors: ['ifMatchMissing', 'catalogChanged', 'draftChanged', 'catalogInvalid', 'textsFileInvalid', 'textsConflict'],
    async handle(context) {
      const { application, reply } = context;
      const options = readEditOptions(context);
      const sent = await service.work.run('readTextsBody', { body: context.body }, application);
      const taken = readTaken(requireShape(Members, sent.members));
      const entries = await inSlices(unpack(sent.entries));
      const base = await loadExported(service.storage, application, sent.stamp);
      let outdated: OutdatedText[] = [];
      const edit = applyImportedTexts(entries, { base, taken, note: (found) => (outdated = found) });
      const edited = await editCatalog(service, application, edit, options);
      return { ...(await respondEdited(reply, edited)), outdated };
    },
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

function readTaken({ prefer, take }: Static<typeof Members>): ImportScope {
  if (take !== undefined && prefer !== undefined) throw refuse('prefer', 'cannot be combined with take');
  if (take !== undefined) return { take };
  return prefer === undefined ? {} : { prefer };
}
