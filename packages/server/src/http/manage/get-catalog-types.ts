import { writeTypes } from '../../domain/catalog/write-types.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { applicationRoute, FileAnswer } from './manage-route.ts';

const schema = {
  operationId: 'getCatalogTypes',
  summary: 'Get the groups, keys and allowed values as a TypeScript module',
  description: 'The output of `innkeeper catalog types`, for the client and the React package.',
  querystring: Type.Object({
    ...DraftQuery.properties,
    schemas: Type.Optional(
      Type.Boolean({ description: 'add a Standard Schema validator of each key as `schemas`', default: false }),
    ),
  }),
  response: { 200: Type.String() },
  produces: ['text/plain'],
  answerHeaders: { 'Content-Disposition': 'file name' },
};

export function getCatalogTypesRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '/catalog/types', schema }, async (context) => {
    const catalog = await openAsked(service, context);
    // A file is known by its bytes: a newer Innkeeper may write the same catalog otherwise.
    context.reply.removeHeader('etag');
    return new FileAnswer('text/plain', 'catalog.ts', await inSlices(writeTypes(catalog, context.readQuery().schemas)));
  });
}
