import { pauses } from '../domain/slices.ts';
import { parseJsonObject } from '../domain/strict-json.ts';
import { BODY_LIMIT } from './server/body.ts';

/** Maximum objects and lists in a body: 500 options have 2,000. Counted before parsing. */
const LIMITS = { containers: 5_000 };
/** For larger bodies: edits of catalogs. A million members would take a second to parse. */
const LIMITS_OF_LARGE = { containers: 50_000, members: 150_000, entries: 250_000 };

/** Parses the body as a JSON object, with any content type. */
export function readJsonObject({ body }: { body: Buffer | undefined }): Record<string, unknown> {
  return parseJsonObject(body, (body?.length ?? 0) > BODY_LIMIT ? LIMITS_OF_LARGE : LIMITS);
}

/** Minimum characters per chunk, unless the texts end. */
export const CHUNK = 65_536;

/**
 * Combines small texts into larger chunks for a stream, after the beginning of the first one. Other requests get their
 * turn in between.
 */
export async function* inChunks(texts: AsyncIterable<string> | Iterable<string>, chunk = ''): AsyncGenerator<string> {
  const pause = pauses();
  for await (const text of texts) {
    chunk += text;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
    const turn = pause();
    if (turn) await turn;
  }
  yield chunk;
}
