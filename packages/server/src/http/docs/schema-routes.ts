import { type Config, listeningUrl } from '../../config.ts';
import { catalogJsonSchema } from '../../domain/catalog/file-schema.ts';
import { version } from '../../package.ts';
import type { Route, Routes } from '../server/routes.ts';
import type { DocumentedRoute, Examples } from './examples.ts';
import { makeFile, once, sendFile } from './static-file.ts';

/** The documents of what this process serves, and of the catalog file, for validation and completion in editors. */
export function documentRoutes(app: Routes, config: Pick<Config, 'host' | 'port' | 'publicUrl'>): void {
  documentRoute(app, '/openapi.json', 'application/json', async () => {
    const { describeApi } = await import('./describe-api.ts');
    const { loadExamples } = await import('./examples.ts');
    const routes = documentedRoutes(app.all, await loadExamples());
    return describeApi(routes, { serverUrl: serverUrl(config), version });
  });
  documentRoute(app, '/asyncapi.json', 'application/json', async () => {
    const { describeEvents } = await import('./asyncapi.ts');
    return describeEvents(config);
  });
  documentRoute(app, '/catalog.schema.json', 'application/schema+json', async () => catalogJsonSchema());
}

/** A document that tools on other origins may read; made on first use. */
function documentRoute(app: Routes, path: string, type: string, describe: () => Promise<object>): void {
  const file = once(async () => makeFile(Buffer.from(JSON.stringify(await describe())), `${type}; charset=utf-8`));
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, no-cache');
    return sendFile(request, reply, await file());
  });
}

/** Without a public URL, relative to the document: a client that could read it can reach that address. */
function serverUrl({ host, port, publicUrl }: Pick<Config, 'host' | 'port' | 'publicUrl'>): string {
  return publicUrl === listeningUrl(host, port) ? '/' : publicUrl;
}

/** All but hidden routes and the implied HEAD and OPTIONS. */
function documentedRoutes(routes: readonly Route[], examples: Examples): DocumentedRoute[] {
  return routes
    .filter(({ method, schema }) => !schema.hide && method !== 'OPTIONS')
    .map((route) => ({ ...route, examples: examples[route.schema.operationId ?? ''] ?? {} }));
}
