import { toFile } from '../../domain/catalog/to-file.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import type { Routes } from '../server/routes.ts';
import { DraftQuery, openAsked } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { CatalogAnswer, EDITED_HEADERS } from './schemas.ts';

const schema = {
  operationId: 'getCatalog',
  summary: 'Get the catalog as a catalog file',
  description:
    'Sending it back unchanged changes nothing. Its ETag is the revision, required as If-Match by every change.',
  querystring: DraftQuery,
  response: { 200: CatalogAnswer },
  answerHeaders: EDITED_HEADERS,
};

export function getCatalogRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'GET', path: '/catalog', schema }, async (context) => {
    const catalog = await openAsked(service, context);
    return inSlices(toFile(catalog));
  });
}
