import { MAX_MS } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { authorizeManager } from '../../domain/manage/authorize-manager.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

const SESSION = 'innkeeper';

/** `__Host-` with HTTPS: no other host, and no page without TLS, can set or read it. */
function cookieNameFor(publicUrl: string, name = SESSION): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

export function readSessionCookie(header: string | undefined, publicUrl: string): string | undefined {
  return readCookie(header, publicUrl, SESSION);
}

export function readCookie(header: string | undefined, publicUrl: string, name: string): string | undefined {
  const start = `${cookieNameFor(publicUrl, name)}=`;
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim();
    if (text.startsWith(start)) return text.slice(start.length);
  }
  return undefined;
}

/** Lasts as long as the longest session; the database decides when a session ends. */
export function sessionCookie(publicUrl: string, sessionToken: string): string {
  return makeCookie(publicUrl, { name: SESSION, value: sessionToken, maxAge: MAX_MS / 1000, sameSite: 'Strict' });
}

export function endedCookie(publicUrl: string): string {
  return makeCookie(publicUrl, { name: SESSION, value: '', maxAge: 0, sameSite: 'Strict' });
}

type Cookie = { name: string; value: string; maxAge: number; sameSite: 'Strict' | 'Lax' };

export function makeCookie(publicUrl: string, { name, value, maxAge, sameSite }: Cookie): string {
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${isSecure(publicUrl) ? '; Secure' : ''}`;
  return `${cookieNameFor(publicUrl, name)}=${value}; ${attributes}`;
}

/** Ends the browser's previous session: once its cookie is replaced, no one could. */
export async function endSessionBefore(service: Service, header: string | undefined): Promise<void> {
  const session = readSessionCookie(header, service.publicUrl);
  if (session === undefined) return;
  try {
    const { signedIn } = await authorizeManager(service, { session });
    if (signedIn) await service.storage.sessions.end(signedIn.account.accountId, signedIn.session.sessionId);
  } catch (error) {
    if (!(error instanceof InnkeeperError)) throw error;
  }
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

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
