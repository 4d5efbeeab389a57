import { type Config, listeningUrl } from '../../config.ts';
import { catalogJsonSchema } from '../../domain/catalog/file-schema.ts';
import { version } from '../../package.ts';
import type { Route, Routes } from '../server/routes.ts';
import type { DocumentedRoute, Examples } from './examples.ts';
import { makeFile, once, sendFile } from './static-file.ts';

/** The OpenAPI document of what this process serves, made on first use. */
export function openapiRoute(app: Routes, config: Pick<Config, 'host' | 'port' | 'publicUrl'>): void {
  const file = once(async () => {
    const { describeApi } = await import('./describe-api.ts');
    const { loadExamples } = await import('./examples.ts');
    const document = describeApi(documentedRoutes(app.all, await loadExamples()), {
      serverUrl: serverUrl(config),
      version,
    });
    return makeFile(Buffer.from(JSON.stringify(document)), 'application/json; charset=utf-8');
  });

  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    // The document is public, so tools on other origins may read it.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, no-cache');
    return sendFile(request, reply, await file());
  });
}

/** Without a public URL, relative to the document: a client that could read it can reach that address. */
function serverUrl({ host, port, publicUrl }: Pick<Config, 'host' | 'port' | 'publicUrl'>): string {
  return publicUrl === listeningUrl(host, port) ? '/' : publicUrl;
}

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

/** All but hidden routes and the implied HEAD and OPTIONS. */
function documentedRoutes(routes: readonly Route[], examples: Examples): DocumentedRoute[] {
  return routes
    .filter(({ method, schema }) => !schema.hide && method !== 'OPTIONS')
    .map((route) => ({ ...route, examples: examples[route.schema.operationId ?? ''] ?? {} }));
}
