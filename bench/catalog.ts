/** The catalog of the benchmark: one group of 20 keys in 5 languages, and four small groups. */
export const GROUP = 'preferences';
const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', pl: 'Polski' };

export const KEY_NAMES = Array.from({ length: 20 }, (_, index) => `choice-${index}`);

/** Alternates between a boolean and a choice of strings. */
export function valuesOf(index: number): [unknown, unknown] {
  return index % 2 === 0 ? [true, false] : ['often', 'never'];
}

export function makeCatalog() {
  const texts = (what: string): Record<string, string> =>
    Object.fromEntries(Object.keys(LANGUAGES).map((tag) => [tag, `${what} (${tag})`]));
  const words = ['often', 'sometimes', 'never'].map((value) => ({ value, translations: texts(value) }));
  const group = (name: string, keys: string[]) => ({
    name,
    translations: texts(name),
    keys: keys.map((key, index) => ({
      name: key,
      translations: texts(`Your ${key}`),
      ...(index % 2 === 0 ? { type: 'boolean' } : { type: 'string', values: words }),
    })),
  });
  return {
    languages: Object.entries(LANGUAGES).map(([tag, name]) => ({ name, tag, default: tag === 'en' })),
    groups: [GROUP, 'privacy', 'sound', 'display', 'travel'].map((name) =>
      group(name, name === GROUP ? KEY_NAMES : KEY_NAMES.slice(0, 3)),
    ),
  };
}
