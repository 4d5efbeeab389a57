import { randomBytes } from 'node:crypto';
import { InnkeeperError } from '../../domain/errors.ts';
import { type BuiltFiles, notBuilt, ownFilesOnly, readBuiltFiles, sendFile } from '../docs/static-file.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';

/** The page's own script adds styles with the nonce of this response. */
const contentSecurityPolicy = (nonce: string): string =>
  ownFilesOnly({ styles: `'self' 'nonce-${nonce}'`, images: "'self' data:", base: "'self'" });

/** The portal. Its page contains no data: everything it shows comes through /manage/v1. */
export function portalPages(app: Routes): void {
  let built: { html: string; files: BuiltFiles } | undefined;

  /** `path` follows /portal/. A path that is not a file is a page of the portal. */
  const respond = async (request: HttpRequest, reply: HttpReply, path: string | undefined) => {
    built ??= await readPortal();
    if (!built) return asPage(reply, '').code(503).header('retry-after', '5').send(notBuilt('portal'));
    const file = path !== undefined && (await built.files.get(path)?.());
    if (file) {
      // Their names contain a hash of their content.
      const isHashed = path.startsWith('assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      return sendFile(request, reply, file);
    }
    if (path?.startsWith('assets/')) throw new InnkeeperError('pathUnknown');
    const nonce = randomBytes(16).toString('base64url');
    return asPage(reply, nonce).send(fillPage(built.html, path, nonce));
  };

  app.get('/portal', { schema: { hide: true } }, (request, reply) => respond(request, reply, undefined));
  app.get('/portal/*', { schema: { hide: true }, unlogged: true }, (request, reply) =>
    respond(request, reply, request.params['*']),
  );
}

async function readPortal(): Promise<{ html: string; files: BuiltFiles } | undefined> {
  const files = await readBuiltFiles('portal');
  const page = await files?.get('index.html')?.();
  if (!files || !page) return undefined;
  // Every URL of the portal serves this page; none is the file itself.
  files.delete('index.html');
  return { html: page.body.toString(), files };
}

/** A browser at the bare address wants the portal; other clients get 404. */
export function wantsPortal({ method, url, headers }: HttpRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && url.split('?', 1)[0] === '/' && /\btext\/html\b/.test(headers.accept ?? '');
}

/** The page's <base> is relative to its own URL, so that a proxy may serve it under a path. */
function fillPage(html: string, path: string | undefined, nonce: string): string {
  const base = path === undefined ? 'portal/' : `./${'../'.repeat(path.split('/').length - 1)}`;
  return html
    .replace('<base href="/portal/"', `<base href="${base}"`)
    .replaceAll('<script ', `<script nonce="${nonce}" `);
}

function asPage(reply: HttpReply, nonce: string): HttpReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store');
}
