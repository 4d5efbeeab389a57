import type { Catalog } from '../../domain/catalog/catalog.ts';
import { applyDefinition, restoreRevision } from '../../domain/catalog/edit-catalog.ts';
import { setLanguages, suggestLanguage } from '../../domain/catalog/edits/languages-and-texts.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import { findMissingTexts, planCatalog } from '../../domain/catalog/plan.ts';
import { planWithImpact } from '../../domain/catalog/publish.ts';
import { compareRevisions, getRevision, readRevision } from '../../domain/catalog/revisions.ts';
import { toFile, toFileKey, toFileLanguages, wording } from '../../domain/catalog/to-file.ts';
import { writeTypes } from '../../domain/catalog/write-types.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices, mapSteps, type Steps } from '../../domain/slices.ts';
import { readElsewhere, Type } from '../../schema.ts';
import { ListResponse } from '../options/schemas.ts';
import { toListing } from '../paging.ts';
import {
  DraftQuery,
  EDIT,
  openRequestedCatalog,
  readCatalogBody,
  readEditOptions,
  respondEdited,
  respondToEdit,
  revisionTag,
  UPLOAD_LIMIT,
} from './edit-options.ts';
import { pageOf, readParameters, refuse } from './input.ts';
import { FileResponse, type ManageRoutes } from './manage-route.ts';
import {
  CatalogResponse,
  CatalogShape,
  Change,
  EDITED_HEADERS,
  FileKeySchema,
  PageQuery,
  PlanShape,
  RevisionParams,
  RevisionShape,
} from './schemas.ts';
import { viewPlan, viewRevision } from './views.ts';

const Translations = Type.Record(Type.String(), Type.String(), { description: 'text by language' });

/** The catalog as a whole, and its languages. */
export function catalogRoutes({ manageRoute, applicationRoute }: ManageRoutes, service: Service): void {
  manageRoute('GET', '/languages/suggestions', {
    operationId: 'suggestLanguage',
    summary: 'Suggest the name of a language',
    querystring: Type.Object({ tag: Type.String({ description: 'BCP 47: de, pt-BR, zh-Hant' }) }),
    response: {
      200: Type.Object({
        tag: Type.String({ description: 'canonical form' }),
        name: Type.String({ description: 'in the language itself' }),
        englishName: Type.String(),
      }),
    },
    async handle({ readQuery }) {
      const suggestion = suggestLanguage(readQuery().tag);
      if (!suggestion) throw refuse('tag', 'must be a BCP 47 language tag, for example de or pt-BR');
      return suggestion;
    },
  });

  applicationRoute('GET', '/catalog', {
    operationId: 'getCatalog',
    summary: 'Get the catalog as a catalog file',
    description:
      'Sending it back unchanged changes nothing. Its ETag is the revision, required as If-Match by every change.',
    querystring: DraftQuery,
    response: { 200: CatalogResponse },
    responseHeaders: EDITED_HEADERS,
    handle: async (context) => inSlices(toFile(await openRequestedCatalog(service, context))),
  });

  applicationRoute('GET', '/catalog/tree', {
    operationId: 'getCatalogTree',
    summary: 'Get the catalog with the UIDs of its groups and keys',
    description: 'Includes archived ones, after the others. Groups and keys have the form of the catalog file.',
    querystring: DraftQuery,
    response: {
      200: Type.Object({
        revision: Type.Integer({ description: 'of a draft: the revision it started from' }),
        languages: Type.Array(
          Type.Object({ name: Type.String(), tag: Type.String(), default: Type.Optional(Type.Boolean()) }),
        ),
        groups: Type.Array(
          Type.Object({
            groupUid: Type.String({ format: 'uuid' }),
            archived: Type.Boolean(),
            name: Type.String(),
            translations: Type.Optional(Translations),
            descriptions: Type.Optional(Translations),
            keys: Type.Array(
              Type.Object({
                keyUid: Type.String({ format: 'uuid' }),
                archived: Type.Boolean(),
                ...FileKeySchema.properties,
              }),
            ),
          }),
        ),
      }),
    },
    responseHeaders: EDITED_HEADERS,
    handle: async (context) => inSlices(viewTree(await openRequestedCatalog(service, context))),
  });

  applicationRoute('GET', '/catalog/types', {
    operationId: 'getCatalogTypes',
    summary: 'Get the groups, keys and allowed values as a TypeScript module',
    description: 'The output of `innkeeper catalog types`, for the client and the React package.',
    querystring: Type.Object({
      ...DraftQuery.properties,
      schemas: Type.Optional(
        Type.Boolean({ description: 'add a Standard Schema validator for each key as `schemas`', default: false }),
      ),
    }),
    response: { 200: Type.String() },
    produces: ['text/plain'],
    responseHeaders: { 'Content-Disposition': 'file name' },
    async handle(context) {
      const catalog = await openRequestedCatalog(service, context);
      // The tag of a file must be of its bytes: a newer Innkeeper may write the same catalog differently.
      context.reply.removeHeader('etag');
      const types = await inSlices(writeTypes(catalog, context.readQuery().schemas));
      return new FileResponse('text/plain', 'catalog.ts', types);
    },
  });

  applicationRoute('PUT', '/catalog', {
    operationId: 'putCatalog',
    ...EDIT,
    bodyLimit: UPLOAD_LIMIT,
    summary: 'Replace the catalog with a file, in one revision',
    description:
      'Groups and keys that the file does not contain are archived. They are identified by name; `was` renames, or moves a key to another group.',
    body: CatalogShape,
    async handle(context) {
      const options = readEditOptions(context);
      const { application, body } = context;
      const definition = await readCatalogBody(service, application, body);
      return respondEdited(context.reply, await applyDefinition(service, application, definition, options));
    },
  });

  applicationRoute('POST', '/catalog/plan', {
    operationId: 'planCatalog',
    access: 'read',
    bodyLimit: UPLOAD_LIMIT,
    summary: 'Plan a catalog file without applying it',
    body: CatalogShape,
    response: {
      200: Type.Object(
        { revision: Type.Integer({ description: 'the revision it was compared with' }), ...PlanShape },
        { title: 'CatalogPlan' },
      ),
    },
    responseHeaders: { ETag: 'the revision it was compared with; send it as If-Match to apply' },
    errors: ['catalogInvalid'],
    async handle({ application, manager, body, reply }) {
      const { appId } = application;
      const definition = await readCatalogBody(service, application, body);
      const current = await service.openCatalogs.published(appId);
      const mayMatch = includesAccess(manager.accessTo(appId), 'users');
      const planned = await inSlices(planCatalog(current, definition));
      const plan = await planWithImpact(service.storage, appId, planned, { mayMatch });
      reply.header('etag', revisionTag(current.revision));
      return { revision: current.revision, ...(await viewPlan(plan)) };
    },
  });

  applicationRoute('GET', '/catalog/languages', {
    operationId: 'listLanguages',
    summary: 'List the languages of an application with their progress',
    querystring: Type.Object({ ...PageQuery.properties, ...DraftQuery.properties }),
    response: {
      200: ListResponse(
        Type.Object({
          name: Type.String(),
          tag: Type.String(),
          default: Type.Boolean(),
          texts: Type.Integer({ description: 'total' }),
          missing: Type.Integer({ description: 'missing; in the default language, names are used instead' }),
        }),
      ),
    },
    responseHeaders: EDITED_HEADERS,
    async handle(context) {
      const { readQuery, linked } = context;
      const catalog = await openRequestedCatalog(service, context);
      const missing = new Map((await inSlices(findMissingTexts(catalog))).map((each) => [each.language, each]));
      const total = Math.max(0, ...[...missing.values()].map((each) => each.total));
      const languages = catalog.languages.map(({ name, tag, isDefault }) => ({
        name,
        tag,
        default: isDefault,
        texts: missing.get(name)?.total ?? total,
        missing: missing.get(name)?.count ?? 0,
      }));
      return linked(toListing(languages, pageOf(readQuery())));
    },
  });

  applicationRoute('PUT', '/catalog/languages', {
    operationId: 'putLanguages',
    ...EDIT,
    summary: 'Set the languages of an application, in order',
    description:
      'A language is identified by its tag, so its name can change. A removed language is no longer served; its texts remain in earlier revisions.',
    body: Type.Object({ languages: readElsewhere(CatalogFileSchema.properties.languages) }),
    handle: (context) => respondToEdit(service, context, () => setLanguages(context.readBody().languages)),
  });
}

function* viewTree({ revision, languages, groups }: Catalog): Steps<object> {
  const viewed: object[] = [];
  for (const { groupUid, archived, name, texts, descriptions, keys } of groups) {
    const viewedKeys = yield* mapSteps(keys, (key) => ({
      keyUid: key.keyUid,
      archived: archived || key.archived,
      ...toFileKey(key, languages),
    }));
    viewed.push({ groupUid, archived, name, ...wording({ texts, descriptions }, languages), keys: viewedKeys });
  }
  return { revision, languages: toFileLanguages(languages), groups: viewed };
}

/** Revisions of the catalog. */
export function revisionRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/revisions', {
    operationId: 'listRevisions',
    summary: 'List the revisions of the catalog with their changes, newest first',
    querystring: PageQuery,
    response: { 200: ListResponse(Type.Object(RevisionShape, { title: 'CatalogRevision' })) },
    async handle({ readQuery, application, linked }) {
      const page = pageOf(readQuery());
      const { total, items } = await service.storage.catalogs.revisions(application.appId, page);
      return linked({ items: items.map((item) => viewRevision(readRevision(item))), total, ...page });
    },
  });

  applicationRoute('GET', '/revisions/compare', {
    operationId: 'compareRevisions',
    summary: 'Compare two revisions',
    querystring: Type.Object({
      from: Type.Integer({ minimum: 0, description: '0 is the empty catalog' }),
      to: Type.Integer({ minimum: 0 }),
    }),
    response: { 200: Type.Object({ from: Type.Integer(), to: Type.Integer(), changes: Type.Array(Change) }) },
    errors: ['revisionNotFound'],
    async handle({ application, readQuery }) {
      const { from, to } = readQuery();
      return { from, to, changes: await compareRevisions(service.storage, application.appId, from, to) };
    },
  });

  applicationRoute('GET', '/revisions/:revision', {
    operationId: 'getRevision',
    summary: 'Get one revision: its changes and the whole catalog of that time',
    params: RevisionParams,
    response: { 200: Type.Object({ ...RevisionShape, catalog: CatalogResponse }) },
    errors: ['revisionNotFound', 'manageBadRequest'],
    async handle({ application, params }) {
      const { revision: wanted } = readParameters(RevisionParams, params);
      const { record, catalog } = await getRevision(service.storage, application.appId, wanted);
      return { ...viewRevision(record), catalog: await inSlices(toFile(catalog)) };
    },
  });

  applicationRoute('POST', '/revisions/:revision/restore', {
    operationId: 'restoreRevision',
    ...EDIT,
    summary: 'Restore a revision as a new revision',
    description: 'Revisions in between are kept. Items renamed or archived since keep their UID.',
    params: RevisionParams,
    errors: [...EDIT.errors, 'revisionNotFound'],
    async handle(context) {
      const options = readEditOptions(context);
      const { revision } = readParameters(RevisionParams, context.params);
      return respondEdited(context.reply, await restoreRevision(service, context.application, revision, options));
    },
  });
}
