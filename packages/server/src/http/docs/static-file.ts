import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, hasCurrent } from '../etag.ts';

/** Bytes that stay as they are while the process runs. */
export type StaticFile = { body: Buffer; gzipped: Buffer; etag: string; type: string };

export async function makeFile(body: Buffer, type: string): Promise<StaticFile> {
  // Not before it is needed: loading it would be the larger part of what /docs adds to the start.
  const { gzip } = await import('node:zlib');
  return { body, gzipped: await promisify(gzip)(body, { level: 9 }), etag: etagOf(body), type };
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

/** Compressed for whoever takes it, and not at all for whoever has it. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  // Of the two forms, each has its own tag (RFC 9110 8.8.3.3).
  const compressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers['accept-encoding'] ?? '');
  const etag = compressed ? file.etag.replace(/"$/, '-gzip"') : file.etag;
  reply.header('etag', etag).header('vary', 'Accept-Encoding');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (compressed) reply.header('content-encoding', 'gzip');
  return reply.type(file.type).send(compressed ? file.gzipped : file.body);
}

/** A page, with every file it names given its version: they may be kept forever. */
export async function makePage(
  path: string,
  folder: string,
  assets: ReadonlyMap<string, () => Promise<StaticFile>>,
): Promise<StaticFile> {
  let html = await readFile(path, 'utf8');
  for (const [name, asset] of assets) {
    html = html.replaceAll(`"${folder}${name}"`, `"${folder}${name}?v=${versionOf(await asset())}"`);
  }
  return makeFile(Buffer.from(html), 'text/html; charset=utf-8');
}

export function versionOf({ etag }: StaticFile): string {
  return etag.slice(1, -1);
}
