import { mask } from './logging.ts';

/** The client's own, where it can go into the log and back: not one that looks like a secret or token. */
export function readRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) && mask(header) === header ? header : undefined;
}
