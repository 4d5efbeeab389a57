export const THEMES = ['auto', 'light', 'dark'] as const;
export const PORTAL_LANGUAGES = ['en', 'de', 'es', 'hu'] as const;

export type PortalLanguage = (typeof PORTAL_LANGUAGES)[number];

/** Someone's preferences for the portal; a null language is the browser's. */
export type Preferences = {
  theme: (typeof THEMES)[number];
  language: PortalLanguage | null;
};

const DEFAULTS: Preferences = { theme: 'auto', language: null };

export function readPreferences(stored: string): Preferences {
  return { ...DEFAULTS, ...(JSON.parse(stored) as Partial<Preferences>) };
}
