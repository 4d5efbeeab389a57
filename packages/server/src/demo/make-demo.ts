import { randomUUIDv7 } from 'node:crypto';
import { createApplication, type NewApplication } from '../domain/applications/application.ts';
import type { CatalogFile } from '../domain/catalog/file-schema.ts';
import { publishCatalog } from '../domain/catalog/publish.ts';
import { readDefinition } from '../domain/catalog/read-definition.ts';
import type { Keyring } from '../domain/keyring.ts';
import { finish } from '../domain/slices.ts';
import type { Storage } from '../storage/port.ts';

/** What the first `npm start` shows. Later starts cannot: only a hash of the secret is stored. */
export type Demo = { clientId: string; clientSecret: string; ada: string; theme: { groupUid: string; keyUid: string } };

const MADE = 'demo-application';

/** Origins of common development servers. */
const DEVELOPMENT_ORIGINS = ['http://localhost:3000', 'http://localhost:5173'];

/** Creates the demo application once per database; undefined if it exists already. */
export async function makeDemo(storage: Storage, keyring: Keyring, now: number): Promise<Demo | undefined> {
  if ((await storage.facts.get(MADE)) !== undefined) return undefined;
  const application = await createApplication(storage, keyring, 'Demo', now);
  // If two first starts race, the application recorded first is the demo, and the other start deletes its own.
  if ((await storage.facts.settle(MADE, application.clientId)) !== application.clientId) {
    await storage.applications.delete(appIdOf(application.clientId));
    return undefined;
  }
  const allowedOrigins = DEVELOPMENT_ORIGINS;
  await storage.applications.update(appIdOf(application.clientId), { set: { allowedOrigins } });
  return fillDemo(storage, keyring, application, now);
}

/** Adds the demo's catalog and Ada to an application. */
export async function fillDemo(
  storage: Storage,
  keyring: Keyring,
  application: NewApplication,
  now: number,
): Promise<Demo> {
  const appId = appIdOf(application.clientId);
  const theme = await publishDemoCatalog(storage, appId, now);
  const ada = randomUUIDv7();
  await storage.users.createWithToken({
    userId: ada,
    appId,
    clientUserId: 'ada@example.com',
    clientUserName: 'Ada Lovelace',
    createdAt: now,
    // Expired from the start: no one has it.
    specialToken: { tokenHash: keyring.hashToken(ada), expiresAt: now },
  });
  return { ...application, ada, theme };
}

async function publishDemoCatalog(storage: Storage, appId: number, now: number): Promise<Demo['theme']> {
  const read = finish(readDefinition(DEMO_CATALOG));
  if ('problems' in read) throw new Error(`demo catalog: ${JSON.stringify(read.problems)}`);
  const options = { author: 'demo', now, allowBreaking: false };
  const published = await publishCatalog(storage, appId, read.definition, options);
  if (published.outcome !== 'published') throw new Error(`demo catalog: ${published.outcome}`);
  const group = published.plan.next.groups.find(({ name }) => name === 'appearance');
  const key = group?.keys.find(({ name }) => name === 'theme');
  if (!group || !key) throw new Error('demo catalog: no appearance/theme');
  return { groupUid: group.groupUid, keyUid: key.keyUid };
}

function appIdOf(clientId: string): number {
  return Number(clientId.slice(0, clientId.indexOf('_')));
}

/**
 * Each line works pasted alone, and repeatedly. Lines with # have no quotes or parentheses: zsh would run them as
 * commands.
 */
export function demoLines(url: string, { clientId, clientSecret, ada, theme }: Demo): string {
  const credentials = `"clientId":"${clientId}","clientSecret":"${clientSecret}"`;
  const fresh = `curl -s ${url}/api/v2/app/special-token -d '{${credentials},"clientUserId":"ada@example.com"}'`;
  return `
  Demo application created. Its secret is shown only once:

    clientId      ${clientId}
    clientSecret  ${clientSecret}

  Try it by pasting any of these lines:

  # create a user
  curl -s ${url}/api/v2/app/create-user -d '{${credentials},"clientUserId":"user-'$(date +%s)'@example.com","clientUserName":"A new user"}'

  # exchange a new specialToken for an access token for Ada
  curl -s ${url}/oauth/v2/get-access-token -d '{"clientSecret":"${clientSecret}","specialToken":"'$(${fresh} | cut -d'"' -f4)'"}'

  # list the options, in German
  curl -s '${url}/api/option_keys?language=Deutsch' -H 'apiKey: ${clientId}'

  # save the dark theme for Ada
  curl -s ${url}/api/user_options -H 'apiKey: ${clientId}' -d '{"user_uid":"${ada}","option_group_uid":"${theme.groupUid}","option_key_uid":"${theme.keyUid}","value":["dark"]}'

  # read her effective options, including defaults
  curl -s '${url}/api/user_options?effective=true&user_uid=${ada}' -H 'apiKey: ${clientId}' -u ${clientId}:${clientSecret}
`;
}

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
