/** How a language is called in attributes: its tag where that is what was given, and the way it is written. */
export type LanguageAttributes = { lang: string | undefined; dir: 'ltr' | 'rtl' | 'auto' };

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** Languages whose own name tells which they are. */
const NAMED = new Map([
  ['english', 'en'],
  ['deutsch', 'de'],
  ['español', 'es'],
  ['français', 'fr'],
  ['magyar', 'hu'],
  ['العربية', 'ar'],
  ['עברית', 'he'],
  ['فارسی', 'fa'],
  ['اردو', 'ur'],
]);

/** The service takes a language by its tag or by its name ("Deutsch"). Where neither tells, the texts show the direction. */
export function attributesOf(language: string | undefined): LanguageAttributes {
  const locale = language === undefined ? undefined : localeOf(NAMED.get(language.toLowerCase()) ?? language);
  if (!locale) return { lang: undefined, dir: 'auto' };
  return { lang: locale.baseName, dir: RIGHT_TO_LEFT.has(locale.maximize().script ?? '') ? 'rtl' : 'ltr' };
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    const locale = new Intl.Locale(tag);
    // A name may have the form of a tag, but not of one that there is.
    return locale.maximize().script ? locale : undefined;
  } catch {
    return undefined;
  }
}
