import { restoreRevision } from '../../domain/catalog/edit-catalog.ts';
import { compareRevisions, getRevision, readRevision } from '../../domain/catalog/revisions.ts';
import { toFile } from '../../domain/catalog/to-file.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import { ListAnswer } from '../options/schemas.ts';
import { answerEdited, EDIT, readEditOptions } from './edit-options.ts';
import { pageOf, readParameters } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { CatalogAnswer, Change, PageQuery, RevisionParams, RevisionShape } from './schemas.ts';
import { viewRevision } from './views.ts';

/** Revisions of the catalog. */
export function revisionRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/revisions', {
    operationId: 'listRevisions',
    summary: 'List the revisions of the catalog with their changes, newest first',
    querystring: PageQuery,
    response: { 200: ListAnswer(Type.Object(RevisionShape, { title: 'CatalogRevision' })) },
    async handle({ readQuery, application, linked }) {
      const page = pageOf(readQuery());
      const { total, items } = await service.storage.catalogs.revisions(application.appId, page);
      const listing = { items: items.map((item) => viewRevision(readRevision(item))), total, ...page };
      return linked(listing);
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
    response: { 200: Type.Object({ ...RevisionShape, catalog: CatalogAnswer }) },
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
      return answerEdited(context.reply, await restoreRevision(service, context.application, revision, options));
    },
  });
}
