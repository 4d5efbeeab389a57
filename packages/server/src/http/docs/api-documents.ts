import { extname } from 'node:path';
import { type Config, listeningUrl } from '../../config.ts';
import { catalogJsonSchema } from '../../domain/catalog/file-schema.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readShipped, version } from '../../package.ts';
import { identifyApplication } from '../options/api-key.ts';
import type { Route, Routes } from '../server/routes.ts';
import type { DocumentedRoute, Examples } from './examples.ts';
import { makeFile, makePage, once, ownFilesOnly, sendFile, TYPES, versionOf } from './static-file.ts';

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

/** The only files that the page may load. */
const ASSETS = ['explorer.js', 'explorer.css', 'icon.svg', 'swagger-ui-bundle.js', 'swagger-ui.css'];

/** Swagger UI's style sheet has its icons as data: URLs. */
const CONTENT_SECURITY_POLICY = ownFilesOnly({ images: "'self' data:" });

/** The explorer for /openapi.json. Its files are read on first use. */
export function explorerRoutes(app: Routes, service: Service): void {
  const read = async (name: string) => makeFile(await readShipped('explorer', name), TYPES[extname(name)] ?? '');
  const assets = new Map(ASSETS.map((name) => [name, once(() => read(name))]));
  const page = once(async () => makePage(await readShipped('explorer', 'explorer.html'), 'docs/', assets));

  app.get('/docs', { schema: { hide: true } }, async (request, reply) => {
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache');
    return sendFile(request, reply, await page());
  });

  // The page refers to its files by relative URLs, so that a proxy may serve it under a path.
  app.get('/docs/', { schema: { hide: true } }, async (request, reply) => {
    return reply.redirect(`../docs${request.url.slice('/docs/'.length)}`, 308);
  });

  app.get('/docs/:name', { schema: { hide: true }, unlogged: true }, async (request, reply) => {
    const file = await assets.get(request.params.name ?? '')?.();
    if (!file) throw new InnkeeperError('pathUnknown');
    const isCurrent = request.query.v === versionOf(file);
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendFile(request, reply, file);
  });

  // Lets the page check a key where option_groups is not served.
  app.get('/docs/api-key', { schema: { hide: true } }, async (request, reply) => {
    await identifyApplication(service, request, reply);
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}
