import { LONGEST_MS } from '../../domain/accounts/session.ts';

/** `__Host-` where there is HTTPS: no other host, and no page without TLS, can set or read it. */
export function cookieNameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-innkeeper' : 'innkeeper';
}

export function readSessionCookie(header: string | undefined, publicUrl: string): string | undefined {
  const start = `${cookieNameFor(publicUrl)}=`;
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim();
    if (text.startsWith(start)) return text.slice(start.length);
  }
  return undefined;
}

/** Kept as long as a session can last; when it ends is for the database to say. */
export function sessionCookie(publicUrl: string, sessionToken: string): string {
  return makeCookie(publicUrl, sessionToken, LONGEST_MS / 1000);
}

export function endedCookie(publicUrl: string): string {
  return makeCookie(publicUrl, '', 0);
}

function makeCookie(publicUrl: string, value: string, maxAge: number): string {
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure(publicUrl) ? '; Secure' : ''}`;
  return `${cookieNameFor(publicUrl)}=${value}; ${attributes}`;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
