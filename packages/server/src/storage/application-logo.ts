import { createHash } from 'node:crypto';

/** The logo has a column of its own: every save reads `settings`, and it may be ten times as long. */
export type StoredSettings = { settings: string; logo: string | null };

export function joinLogo({ settings, logo }: StoredSettings): Record<string, unknown> {
  return { ...JSON.parse(settings), ...(logo !== null && { logo }) };
}

export function splitLogo({ logo, ...settings }: Record<string, unknown>): [settings: string, logo: string | null] {
  return [JSON.stringify(settings), typeof logo === 'string' ? logo : null];
}

/** Where nobody wants to see the bytes; two logos never have the same. */
export function nameLogo(logo: string): string {
  const type = logo.slice('data:'.length, logo.indexOf(';'));
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  return `${type}, ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
}
