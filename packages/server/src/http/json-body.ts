import { parseJsonObject } from '../domain/json-object.ts';

/** The body as a JSON object, with any content type (CONTRACT.md section 2). */
export function readJsonObject({ body }: { body: Buffer | undefined }): Record<string, unknown> {
  return parseJsonObject(body);
}
