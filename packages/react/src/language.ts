/** The attributes of a language: its tag, if that was given, and its writing direction. */
export type LanguageAttributes = { lang: string | undefined; dir: 'ltr' | 'rtl' | 'auto' };

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** Languages whose own name identifies them. */
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

/**
 * The service accepts a language by tag or by name ("Deutsch"). If neither identifies it, the direction follows the
 * texts.
 */
export function attributesOf(language: string | undefined): LanguageAttributes {
  const locale = language === undefined ? undefined : localeOf(NAMED.get(language.toLowerCase()) ?? language);
  if (!locale) return { lang: undefined, dir: 'auto' };
  return { lang: locale.baseName, dir: RIGHT_TO_LEFT.has(locale.maximize().script ?? '') ? 'rtl' : 'ltr' };
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    const locale = new Intl.Locale(tag);
    // A name may look like a tag, but not like an existing one.
    return locale.maximize().script ? locale : undefined;
  } catch {
    return undefined;
  }
}
