import i18next from 'i18next';
import resourcesToBackend from 'i18next-resources-to-backend';
import { initReactI18next } from 'react-i18next';
import { loadWhenReachable } from './api/connection.ts';

/** The portal's own languages, each named in itself; unrelated to the languages of an application. */
export const PORTAL_LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', hu: 'Magyar' } as const;
export type PortalLanguage = keyof typeof PORTAL_LANGUAGES;

const STORED = 'innkeeper-language';
/** Translations of the service's messages, which are English; loaded with the first message, or with rooms that show some. */
const PROBLEMS = 'problems';

/** One file per room and language, loaded on entering the room: src/locales/LANGUAGE/ROOM.json. */
export async function startTranslations(): Promise<void> {
  const language = chosenLanguage();
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  await i18next
    // i18next never requests a file again that failed once.
    .use(
      resourcesToBackend((language: string, room: string) =>
        room === PROBLEMS
          ? loadProblems(language)
          : loadWhenReachable(() => import(`./locales/${language}/${room}.json`))(),
      ),
    )
    .use(initReactI18next)
    .init({
      lng: language,
      // Every language has every text: tests compare them.
      fallbackLng: false,
      supportedLngs: Object.keys(PORTAL_LANGUAGES),
      load: 'languageOnly',
      ns: 'shell',
      defaultNS: 'shell',
      interpolation: { escapeValue: false },
      returnNull: false,
    });
}

export async function chooseLanguage(language: PortalLanguage): Promise<void> {
  localStorage.setItem(STORED, language);
  await i18next.changeLanguage(language);
}

/**
 * With those in English, by which problem-text.ts recognises a message; none for readers of English. Loaded when the
 * service has just responded: waiting for it here would wait for the request that waits for this.
 */
async function loadProblems(language: string): Promise<object> {
  if (language === 'en') return {};
  const [english, own] = await Promise.all([
    import('./locales/en/problems.json'),
    import(`./locales/${language}/problems.json`),
  ]);
  i18next.addResourceBundle('en', PROBLEMS, english.default);
  return own;
}

function chosenLanguage(): string {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages];
  const known = wanted.map((tag) => tag?.split('-')[0] ?? '').find((tag) => tag in PORTAL_LANGUAGES);
  return known ?? 'en';
}
