import { extname } from 'node:path';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readShipped } from '../../package.ts';
import { identifyApplication } from '../options/api-key.ts';
import type { Routes } from '../server/routes.ts';
import { makeFile, makePage, once, ownFilesOnly, sendFile, TYPES, versionOf } from './static-file.ts';

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
