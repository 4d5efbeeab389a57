import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { PACKAGE_ROOT } from '../../package.ts';
import { identifyApplication } from '../options/api-key.ts';
import type { Routes } from '../server/routes.ts';
import { makeFile, makePage, once, type StaticFile, sendFile, versionOf } from './static-file.ts';

/** All that the page may load, and from where: nothing else is ever read. */
const ASSETS: Record<string, { from: 'page' | 'swagger-ui-dist'; type: string }> = {
  'explorer.js': { from: 'page', type: 'text/javascript; charset=utf-8' },
  'explorer.css': { from: 'page', type: 'text/css; charset=utf-8' },
  'icon.svg': { from: 'page', type: 'image/svg+xml' },
  'swagger-ui-bundle.js': { from: 'swagger-ui-dist', type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { from: 'swagger-ui-dist', type: 'text/css; charset=utf-8' },
};

/** From here alone, and nothing inline. Swagger UI's style sheet holds its icons as data: addresses. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = join(PACKAGE_ROOT, 'src/http/docs/page');

/** CONTRACT.md section 5: the explorer over /openapi.json. Its files are read when they are first asked for. */
export function explorerRoutes(app: Routes, service: Service): void {
  const assets = new Map(Object.keys(ASSETS).map((name) => [name, once(() => readAsset(name))]));
  const page = once(() => makePage(join(PAGE, 'explorer.html'), 'docs/', assets));

  app.get('/docs', { schema: { hide: true } }, async (request, reply) => {
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache');
    return sendFile(request, reply, await page());
  });

  // The page names its files relative to its own address, so that a proxy may put all of this under a path.
  app.get('/docs/', { schema: { hide: true } }, async (request, reply) => {
    return reply.redirect(`../docs${request.url.slice('/docs/'.length)}`, 308);
  });

  app.get('/docs/:name', { schema: { hide: true }, unlogged: true }, async (request, reply) => {
    const file = await assets.get(request.params.name as string)?.();
    if (!file) throw new InnkeeperError('pathUnknown');
    const isCurrent = request.query.v === versionOf(file);
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendFile(request, reply, file);
  });

  // How the page checks a key where option_groups is not served.
  app.get('/docs/api-key', { schema: { hide: true } }, async (request, reply) => {
    await identifyApplication(service, request, reply);
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}

async function readAsset(name: string): Promise<StaticFile> {
  const { from, type } = ASSETS[name] as (typeof ASSETS)[string];
  const folder =
    from === 'page' ? PAGE : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return makeFile(await readFile(join(folder, name)), type);
}
