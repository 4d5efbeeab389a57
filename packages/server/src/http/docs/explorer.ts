import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readShipped } from '../../package.ts';
import { identifyApplication } from '../options/api-key.ts';
import type { Routes } from '../server/routes.ts';
import { makeFile, makePage, once, ownFilesOnly, sendFile, versionOf } from './static-file.ts';

/** The only files that the page may load. */
const ASSETS: Record<string, string> = {
  'explorer.js': 'text/javascript; charset=utf-8',
  'explorer.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

/** Swagger UI's style sheet has its icons as data: URLs. */
const CONTENT_SECURITY_POLICY = ownFilesOnly({ images: "'self' data:" });

/** The explorer for /openapi.json. Its files are read on first use. */
export function explorerRoutes(app: Routes, service: Service): void {
  const assets = new Map(
    Object.entries(ASSETS).map(([name, type]) => [
      name,
      once(async () => makeFile(await readShipped('explorer', name), type)),
    ]),
  );
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
