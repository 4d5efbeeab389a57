// Writes docs/asyncapi.json from the shapes of events. `npm run docs` runs it; test/docs/asyncapi.test.ts checks it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeEvents } from '../src/http/docs/asyncapi.ts';

export const ASYNCAPI_DOC = join(import.meta.dirname, '../../../docs/asyncapi.json');

export function renderAsyncapiDoc(): string {
  return `${JSON.stringify(describeEvents({ publicUrl: 'http://127.0.0.1:8080' }), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(ASYNCAPI_DOC, renderAsyncapiDoc());
