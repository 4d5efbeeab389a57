import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { mask } from '../logging.ts';

export function requestIdOf(headers: IncomingHttpHeaders | undefined): string {
  return sentId(headers?.['x-request-id']) ?? randomUUID();
}

/** The client's own, where it can go into the log and back: not one that looks like a secret or token. */
function sentId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) && mask(header) === header ? header : undefined;
}
