import { parseJsonObject } from '../domain/strict-json.ts';
import { BODY_LIMIT } from './server/door.ts';

/** Maximum objects and lists in a body: 500 options have 2,000. Counted before parsing. */
const MAX_CONTAINERS = 5_000;
/** The limit for larger bodies: edits of catalogs. */
const MAX_CONTAINERS_OF_LARGE = 50_000;

/** Parses the body as a JSON object, with any content type. */
export function readJsonObject({ body }: { body: Buffer | undefined }): Record<string, unknown> {
  return parseJsonObject(body, (body?.length ?? 0) > BODY_LIMIT ? MAX_CONTAINERS_OF_LARGE : MAX_CONTAINERS);
}
