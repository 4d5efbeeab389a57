export const LANGUAGES = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const;
export type Tag = keyof typeof LANGUAGES;

/** The page's own texts; those of the options come from Innkeeper. */
export const WORDS = {
  en: {
    title: 'Preferences',
    hello: 'Signed in as',
    name: 'Your name',
    enter: 'Sign in',
    leave: 'Delete my account',
    language: 'Language',
  },
  de: {
    title: 'Einstellungen',
    hello: 'Angemeldet als',
    name: 'Ihr Name',
    enter: 'Anmelden',
    leave: 'Mein Konto löschen',
    language: 'Sprache',
  },
  ar: {
    title: 'التفضيلات',
    hello: 'تم تسجيل الدخول باسم',
    name: 'اسمك',
    enter: 'تسجيل الدخول',
    leave: 'حذف حسابي',
    language: 'اللغة',
  },
} as const satisfies Record<Tag, Record<string, string>>;
