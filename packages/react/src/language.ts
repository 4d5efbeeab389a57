/** How a language is called in attributes: its tag where that is what was given, and the way it is written. */
export type LanguageAttributes = { lang: string | undefined; dir: 'ltr' | 'rtl' | 'auto' };

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** The service takes a language by its tag or by its name ("Deutsch"); of a name the texts themselves show the direction. */
export function attributesOf(language: string | undefined): LanguageAttributes {
  if (language === undefined) return { lang: undefined, dir: 'auto' };
  try {
    const { baseName, script } = new Intl.Locale(language).maximize();
    if (!script) return { lang: undefined, dir: 'auto' };
    const lang = new Intl.Locale(language).baseName;
    return { lang: lang || baseName, dir: RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr' };
  } catch {
    return { lang: undefined, dir: 'auto' };
  }
}
