import { InnkeeperError } from '../../domain/errors.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

/**
 * Changes with a cookie have to come from our own page. The cookie is SameSite=Strict, which a page of
 * the same site (another port, another subdomain) passes; it does not pass what its browser says of it here. And a form
 * or a link, from anywhere, cannot send a header of ours.
 */
export function refuseForeignPage({ headers }: HttpRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  // Browsers leave it out for plain HTTP on another machine, and say the origin.
  const isOwn =
    site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin' || site === 'none';
  if (!isOwn || headers['x-innkeeper-portal'] !== '1') throw new InnkeeperError('foreignPage');
}
