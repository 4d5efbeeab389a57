import { InnkeeperError } from '../../domain/errors.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

/**
 * Changes by cookie must come from our own page. The cookie is SameSite=Strict, but a page of the same site (another
 * port, another subdomain) passes that check; it does not pass these headers, which the browser sets. And no form or
 * link, from anywhere, can send our custom header.
 */
export function refuseForeignPage({ headers }: HttpRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  // Browsers omit it for plain HTTP to another machine, but send the origin.
  const isOwn =
    site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin' || site === 'none';
  if (!isOwn || headers['x-innkeeper-portal'] !== '1') throw new InnkeeperError('foreignPage');
}
