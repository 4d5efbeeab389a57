import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { InnkeeperError } from '../../domain/errors.ts';
import { makeFile, makePage, once, type StaticFile, sendFile, versionOf } from '../docs/static-file.ts';

const PAGE = join(import.meta.dirname, 'page');
const SCRIPT = 'text/javascript; charset=utf-8';

/** All that the pages may load: nothing else is ever read. */
const ASSETS: Record<string, { path: string; type: string }> = {
  'account.js': { path: join(PAGE, 'account.js'), type: SCRIPT },
  'sign-in.js': { path: join(PAGE, 'sign-in.js'), type: SCRIPT },
  'manage.js': { path: join(PAGE, 'manage.js'), type: SCRIPT },
  'portal.css': { path: join(PAGE, 'portal.css'), type: 'text/css; charset=utf-8' },
  'icon.svg': { path: join(import.meta.dirname, '../docs/page/icon.svg'), type: 'image/svg+xml' },
};

/** From here alone, and nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** CONTRACT.md section 5: the portal. Its pages hold nothing of anybody: all that they show comes through /manage/v1. */
export function portalPages(app: FastifyInstance): void {
  const assets = new Map(
    Object.entries(ASSETS).map(([name, { path, type }]) => [
      name,
      once(async () => makeFile(await readFile(path), type)),
    ]),
  );
  const account = once(() => makePage(join(PAGE, 'account.html'), 'portal/', assets));
  const signIn = once(() => makePage(join(PAGE, 'sign-in.html'), '', assets));

  app.get('/portal', { schema: { hide: true } }, async (request, reply) => {
    return sendFile(request, asPage(reply), await account());
  });
  app.get('/portal/sign-in', { schema: { hide: true } }, async (request, reply) => {
    return sendFile(request, asPage(reply), await signIn());
  });
  // The pages name their files relative to their own address, so that a proxy may put all of this under a path.
  app.get('/portal/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('../portal', 308));

  app.get<{ Params: { name: string }; Querystring: { v?: string } }>(
    '/portal/:name',
    { schema: { hide: true }, logLevel: 'warn' },
    async (request, reply) => {
      const file: StaticFile | undefined = await assets.get(request.params.name)?.();
      if (!file) throw new InnkeeperError('pathUnknown');
      const isCurrent = request.query.v === versionOf(file);
      reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      return sendFile(request, reply, file);
    },
  );
}

function asPage(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-cache');
}
