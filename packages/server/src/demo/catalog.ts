import type { CatalogFile } from '../domain/catalog/file-schema.ts';

/** The demo application's catalog: three languages, two groups, six keys of different types. */
export const DEMO_CATALOG: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'Español', tag: 'es' },
  ],
  groups: [
    {
      name: 'notifications',
      translations: { English: 'Notifications', Deutsch: 'Benachrichtigungen', Español: 'Notificaciones' },
      keys: [
        {
          name: 'newsletter',
          type: 'boolean',
          default: false,
          translations: { English: 'Newsletter', Deutsch: 'Rundbrief', Español: 'Boletín' },
        },
        {
          name: 'channels',
          type: 'string',
          multiple: true,
          min: 1,
          max: 2,
          default: ['email'],
          translations: { English: 'Channels', Deutsch: 'Kanäle', Español: 'Canales' },
          values: [
            { value: 'email', translations: { English: 'E-mail', Deutsch: 'E-Mail', Español: 'Correo electrónico' } },
            { value: 'sms', translations: { English: 'Text message', Deutsch: 'SMS', Español: 'Mensaje de texto' } },
            {
              value: 'push',
              translations: { English: 'Push', Deutsch: 'Push-Nachricht', Español: 'Notificación push' },
            },
          ],
        },
        {
          name: 'quiet_until',
          type: 'date',
          constraint: { min: '2020-01-01' },
          translations: { English: 'Quiet until', Deutsch: 'Ruhe bis', Español: 'En silencio hasta' },
        },
      ],
    },
    {
      name: 'appearance',
      translations: { English: 'Appearance', Deutsch: 'Darstellung', Español: 'Apariencia' },
      keys: [
        {
          name: 'theme',
          type: 'string',
          default: 'system',
          translations: { English: 'Theme', Deutsch: 'Farbschema', Español: 'Tema' },
          values: [
            {
              value: 'system',
              translations: { English: 'System', Deutsch: 'Wie das Gerät', Español: 'Como el dispositivo' },
            },
            { value: 'light', translations: { English: 'Light', Deutsch: 'Hell', Español: 'Claro' } },
            { value: 'dark', translations: { English: 'Dark', Deutsch: 'Dunkel', Español: 'Oscuro' } },
          ],
        },
        {
          name: 'text_size',
          type: 'number',
          default: 1,
          translations: { English: 'Text size', Deutsch: 'Schriftgröße', Español: 'Tamaño del texto' },
          values: [1, 1.25, 1.5, 2],
        },
        {
          name: 'items_per_page',
          type: 'integer',
          default: 20,
          translations: { English: 'Items per page', Deutsch: 'Einträge pro Seite', Español: 'Elementos por página' },
          constraint: { min: 5, max: 100, step: 5 },
        },
      ],
    },
  ],
};
