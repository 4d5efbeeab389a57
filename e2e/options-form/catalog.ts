import type { CatalogFile } from '../../packages/server/src/domain/catalog/file-schema.ts';

/** A key for every control; texts in a left-to-right and a right-to-left script. */
export const CATALOG: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'العربية', tag: 'ar' },
  ],
  groups: [
    {
      name: 'all',
      translations: { English: 'Settings', Deutsch: 'Einstellungen', العربية: 'الإعدادات' },
      keys: [
        {
          name: 'newsletter',
          type: 'boolean',
          default: false,
          translations: { English: 'Newsletter', Deutsch: 'Rundbrief', العربية: 'النشرة الإخبارية' },
        },
        { name: 'consent', type: 'boolean', translations: { English: 'Consent', Deutsch: 'Einwilligung' } },
        {
          name: 'theme',
          type: 'string',
          default: 'light',
          translations: { English: 'Theme', Deutsch: 'Farbschema', العربية: 'المظهر' },
          values: [
            { value: 'light', translations: { English: 'Light', Deutsch: 'Hell', العربية: 'فاتح' } },
            { value: 'dark', translations: { English: 'Dark', Deutsch: 'Dunkel', العربية: 'داكن' } },
            { value: 'sepia', retired: true },
          ],
        },
        {
          name: 'size',
          type: 'integer',
          translations: { English: 'Size', Deutsch: 'Größe' },
          values: [1, 2, 3, 4, 5],
        },
        {
          name: 'channels',
          type: 'string',
          multiple: true,
          min: 1,
          max: 2,
          default: ['email'],
          translations: { English: 'Channels', Deutsch: 'Kanäle' },
          values: ['email', 'sms', 'push'],
        },
        {
          name: 'volume',
          type: 'integer',
          default: 5,
          translations: { English: 'Volume', Deutsch: 'Lautstärke' },
          constraint: { min: 0, max: 10 },
        },
        { name: 'ratio', type: 'number', translations: { English: 'Ratio', Deutsch: 'Verhältnis' } },
        { name: 'birthday', type: 'date', translations: { English: 'Birthday', Deutsch: 'Geburtstag' } },
        { name: 'motto', type: 'string', translations: { English: 'Motto' }, constraint: { max_length: 20 } },
        { name: 'tags', type: 'string', multiple: true, translations: { English: 'Tags' } },
      ],
    },
  ],
};
