/** The logo has its own column: every save reads `settings`, and a logo may be ten times as long. */
export type StoredSettings = { settings: string; logo: string | null };

export function joinLogo({ settings, logo }: StoredSettings): Record<string, unknown> {
  return { ...JSON.parse(settings), ...(logo !== null && { logo }) };
}

export function splitLogo({ logo, ...settings }: Record<string, unknown>): [settings: string, logo: string | null] {
  return [JSON.stringify(settings), typeof logo === 'string' ? logo : null];
}
