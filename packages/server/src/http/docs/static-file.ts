import { extname } from 'node:path';
import { promisify } from 'node:util';
import { listShipped, readShipped } from '../../package.ts';
import { etagOf, hasCurrent } from '../request-headers.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';

/** Supported encodings, best compression first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Bytes that do not change while the process runs. */
export type StaticFile = { body: Buffer; encode: Record<Encoding, () => Promise<Buffer>>; etag: string; type: string };

export function makeFile(body: Buffer, type: string, readBr?: () => Promise<Buffer>): StaticFile {
  // Loaded on demand: it would be most of what /docs adds to the startup time.
  const zlib = () => import('node:zlib');
  const encode = {
    // The last two of brotli's eleven levels take ten times as long and save another twentieth.
    br: once(async () => {
      if (readBr) return readBr();
      const { brotliCompress, constants } = await zlib();
      return promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    }),
    gzip: once(async () => promisify((await zlib()).gzip)(body, { level: 9 })),
  };
  return { body, encode, etag: etagOf(body), type };
}

/** Calls `make` on first use, and again only if that failed. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Compressed if the client accepts it; 304 if the client has the current version. */
export async function sendFile(request: HttpRequest, reply: HttpReply, file: StaticFile): Promise<HttpReply> {
  const encoding = ENCODINGS.find((each) => acceptsEncoding(request.headers['accept-encoding'], each));
  // Each encoding has its own tag (RFC 9110 8.8.3.3).
  const etag = encoding ? file.etag.replace(/"$/, `-${encoding}"`) : file.etag;
  reply.header('etag', etag).header('vary', 'Accept-Encoding');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(file.type).send(encoding ? await file.encode[encoding]() : file.body);
}

/** Further codings are ignored: real clients name a handful. */
const MAX_CODINGS = 50;

/** RFC 9110 12.5.3: listed, and not with q=0. */
export function acceptsEncoding(header: string | undefined, encoding: Encoding): boolean {
  return (header ?? '').split(',', MAX_CODINGS).some((part) => {
    const [name = '', q = ''] = part.split(';', 2);
    return name.trim().toLowerCase() === encoding && !/^q=0(?:\.0*)?$/i.test(q.trim());
  });
}

/** A policy under which a page loads only files of its own origin, and nothing inline. Styles and images may have more sources. */
export function ownFilesOnly({ styles = "'self'", images = "'self'", base = "'none'" } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    `base-uri ${base}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A page in which every file it refers to has a version, so that browsers may cache the files forever. */
export async function makePage(
  source: Buffer,
  folder: string,
  assets: ReadonlyMap<string, () => Promise<StaticFile>>,
): Promise<StaticFile> {
  let html = source.toString();
  for (const [name, asset] of assets) {
    html = html.replaceAll(`"${folder}${name}"`, `"${folder}${name}?v=${versionOf(await asset())}"`);
  }
  return makeFile(Buffer.from(html), 'text/html; charset=utf-8');
}

export function versionOf({ etag }: StaticFile): string {
  return etag.slice(1, -1);
}

/** By extension. */
export const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Written by a build for the next build. */
const NOT_SERVED = new Set(['made-of.txt']);

/** By path in dist/; read on first use. */
export type BuiltFiles = Map<string, () => Promise<StaticFile>>;

/** The build output of the portal or the guide; undefined if it was not built. */
export async function readBuiltFiles(folder: 'portal' | 'guide'): Promise<BuiltFiles | undefined> {
  const paths = await listShipped(folder);
  return (
    paths &&
    new Map(
      paths.flatMap((path) => {
        const type = TYPES[extname(path)];
        if (type === undefined || NOT_SERVED.has(path)) return [];
        // Large files are compressed by the build, as well as brotli can.
        const readBr = paths.includes(`${path}.br`) ? () => readShipped(folder, `${path}.br`) : undefined;
        return [[path, once(async () => makeFile(await readShipped(folder, path), type, readBr))] as const];
      }),
    )
  );
}

/** The page shown in place of one that was not built. */
export function notBuilt(what: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Innkeeper</title>
<h1>The ${what} is not built</h1><p>Run <code>npm ci --include=dev</code> and <code>npm run build</code> where Innkeeper is installed, then load this page again.</p></html>`;
}
