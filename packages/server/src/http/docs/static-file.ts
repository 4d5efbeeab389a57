import { promisify } from 'node:util';
import { etagOf, hasCurrent } from '../etag.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';

/** How a body may be sent, in the order of what is left of it. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Bytes that stay as they are while the process runs. */
export type StaticFile = { body: Buffer; encode: Record<Encoding, () => Promise<Buffer>>; etag: string; type: string };

export function makeFile(body: Buffer, type: string): StaticFile {
  // Not before it is needed: loading it would be the larger part of what /docs adds to the start.
  const zlib = () => import('node:zlib');
  const encode = {
    // Of its eleven steps the last two take ten times as long, for a twentieth less.
    br: once(async () => {
      const { brotliCompress, constants } = await zlib();
      return promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    }),
    gzip: once(async () => promisify((await zlib()).gzip)(body, { level: 9 })),
  };
  return { body, encode, etag: etagOf(body), type };
}

/** Makes it when it is first asked for, and again only if that failed. */
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

/** Compressed if the client accepts it; 304 if the client has it. */
export async function sendFile(request: HttpRequest, reply: HttpReply, file: StaticFile): Promise<HttpReply> {
  const encoding = ENCODINGS.find((each) => acceptsEncoding(request.headers['accept-encoding'], each));
  // Each form has its own tag (RFC 9110 8.8.3.3).
  const etag = encoding ? file.etag.replace(/"$/, `-${encoding}"`) : file.etag;
  reply.header('etag', etag).header('vary', 'Accept-Encoding');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(file.type).send(encoding ? await file.encode[encoding]() : file.body);
}

/** Clients name a handful; the rest is not read. */
const MAX_CODINGS = 50;

/** RFC 9110 12.5.3: named, and not with q=0. */
export function acceptsEncoding(header: string | undefined, encoding: Encoding): boolean {
  return (header ?? '').split(',', MAX_CODINGS).some((part) => {
    const [name = '', q = ''] = part.split(';', 2);
    return name.trim().toLowerCase() === encoding && !/^q=0(?:\.0*)?$/i.test(q.trim());
  });
}

/** A page, with every file it names given its version: they may be kept forever. */
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
