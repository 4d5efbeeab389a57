import { catalogJsonSchema } from '../../domain/catalog/file-schema.ts';
import type { Routes } from '../server/routes.ts';
import { makeFile, once, sendFile } from './static-file.ts';

/** The JSON Schema of the catalog file, for validation and completion in editors. */
export function catalogSchemaRoute(app: Routes): void {
  const file = once(async () =>
    makeFile(Buffer.from(JSON.stringify(catalogJsonSchema())), 'application/schema+json; charset=utf-8'),
  );
  app.get('/catalog.schema.json', { schema: { hide: true } }, async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, no-cache');
    return sendFile(request, reply, await file());
  });
}
