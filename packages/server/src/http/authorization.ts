import type { Credentials } from '../domain/users/delete-user.ts';

/** Reads the Authorization header (RFC 7617 and RFC 6750). The scheme is case-insensitive. */
export function readAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const match = /^(basic|bearer) +(\S+) *$/i.exec(header);
  if (!match) return { kind: 'unreadable' };
  const [, scheme, value] = match as unknown as [string, string, string];
  if (scheme.toLowerCase() === 'bearer') return { kind: 'bearer', accessToken: value };
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  return { kind: 'basic', clientId: formDecode(pair.slice(0, colon)), clientSecret: formDecode(pair.slice(colon + 1)) };
}

/**
 * RFC 6749 2.3.1 has OAuth clients form-encode both parts; plain HTTP clients do not. Our credentials never contain a
 * percent sign, so both forms decode to the same text.
 */
function formDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
