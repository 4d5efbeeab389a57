import { InnkeeperError } from '../../domain/errors.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';
import {
  type BuiltFiles,
  makeFile,
  notBuilt,
  once,
  ownFilesOnly,
  readBuiltFiles,
  type StaticFile,
  sendFile,
} from './static-file.ts';

const CONTENT_SECURITY_POLICY = ownFilesOnly();

/**
 * The documentation that packages/guide builds from docs/. It is the same in every installation and contains nothing
 * about this one.
 */
export function guidePages(app: Routes): void {
  let files: BuiltFiles | undefined;
  const find = async (path: string): Promise<StaticFile | undefined> => {
    files ??= await readBuiltFiles('guide');
    const read = files?.get(path) ?? files?.get(path === '' ? 'index.html' : `${path}.html`);
    return read?.();
  };

  // Pages link to each other by relative URLs, so that a proxy may serve them under a path.
  app.get('/guide', { schema: { hide: true } }, async (_request, reply) => reply.redirect('guide/', 308));

  app.get('/guide/*', { schema: { hide: true }, unlogged: true }, async (request, reply) => {
    const { '*': path = '' } = request.params;
    const file = await find(path);
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin');
    if (!files) return reply.code(503).header('retry-after', '5').type('text/html').send(notBuilt('guide'));
    if (!file) return sendUnknown(request, reply);
    // The folder's name is a hash of its content.
    reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendFile(request, reply, file);
  });

  const forPrograms = once(async () => {
    const list = await find('llms.txt');
    if (!list) throw new InnkeeperError('pathUnknown');
    const fromHere = list.body.toString().replaceAll('](', '](guide/').replaceAll('](guide/../', '](');
    return makeFile(Buffer.from(fromHere), list.type);
  });
  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) => {
    reply.header('cache-control', 'no-cache');
    return sendFile(request, reply, await forPrograms());
  });
}

/** Browsers get a page with a link back; other clients get the usual error. */
function sendUnknown({ headers, url }: HttpRequest, reply: HttpReply): HttpReply {
  const unknown = new InnkeeperError('pathUnknown');
  reply.header('vary', 'accept');
  if (!/\btext\/html\b/i.test(headers.accept ?? '')) throw unknown;
  const [path = ''] = url.split('?');
  const root = '../'.repeat(path.split('/').length - 3) || './';
  reply.errorCode = unknown.code;
  return reply
    .code(unknown.status)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No such page · Innkeeper</title>
<h1>There is no such page</h1><p>It may have another name now. <a href="${root}">Go to the start of the guide</a>, whose search finds every page.</p></html>`);
}
