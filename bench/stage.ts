import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basic, jsonRequest } from './request.ts';
import { sendWell } from './send.ts';
import { innkeeper, type Service, startService } from './service.ts';

/** A running service with one application, its catalog and its users: what operations send requests to. */
export type Stage = {
  service: Service;
  /** For `innkeeper` on the same database. */
  settings: NodeJS.ProcessEnv;
  clientId: string;
  clientSecret: string;
  /** GROUP and its keys, each with two values to choose from. */
  groupUid: string;
  keys: { uid: string; values: [unknown, unknown] }[];
  /** Users with a selection for SELECTED keys of GROUP. */
  users: string[];
  /** Further users, each with a selection for three keys. */
  importUsers(count: number): Promise<string[]>;
  specialTokens(count: number): Promise<string[]>;
  /** Access tokens of the first of `users`, as many as asked for. */
  accessTokens(count: number): Promise<string[]>;
  /** No name is given twice. */
  name(): string;
  stop(): Promise<void>;
};

export type StageOptions = {
  databaseUrl: string;
  folder: string;
  users: number;
  nodeArgs?: string[];
  /** Further settings of the service. */
  env?: NodeJS.ProcessEnv;
};

export const GROUP = 'preferences';
export const SELECTED = 10;
const KEYS = 20;
const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', pl: 'Polski' };

export async function setStage({ databaseUrl, folder, users, nodeArgs, env }: StageOptions): Promise<Stage> {
  const settings = {
    ...env,
    INNKEEPER_DATABASE_URL: databaseUrl,
    ...(databaseUrl.startsWith('postgres') ? { INNKEEPER_SECRET: randomBytes(32).toString('hex') } : {}),
  };
  const run = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(await innkeeper([...args, '--json'], settings)) as T;
  const { clientId, clientSecret } = await run<Stage>('app', 'create', '--name', 'Bench');
  await run('app', 'set', clientId, 'specialTokenTtl=7d', 'accessTokenTtl=7d');
  const catalog = join(folder, 'catalog.json');
  await writeFile(catalog, JSON.stringify(makeCatalog()));
  await run('catalog', 'apply', catalog, '--app', clientId);

  let named = 0;
  const name = (): string => `user-${++named}@example.com`;
  const importUsers = async (count: number, selections = 3): Promise<string[]> => {
    const codes = Array.from({ length: count }, () => randomUUIDv7());
    const options = keyNames
      .slice(0, selections)
      .map((key, index) => ({ group: GROUP, key, value: [valuesOf(index)[0]] }));
    const lines = codes.map((code) =>
      JSON.stringify({ clientUserId: name(), clientUserName: 'Ada', service_user_code: code, options }),
    );
    const file = join(folder, 'users.ndjson');
    await writeFile(file, lines.join('\n'));
    await run('users', 'import', file, '--app', clientId);
    return codes;
  };
  const population = await importUsers(users, SELECTED);

  const service = await startService(settings, nodeArgs);
  const answer = await fetch(`${service.url}/api/option_keys?option_group_name=${GROUP}`, {
    headers: { apiKey: clientId },
  });
  const { items } = (await answer.json()) as { items: { option_group_uid: string; option_key_uid: string }[] };

  const specialTokens = async (path: string, names: string[]): Promise<string[]> => {
    const requests = names.map((clientUserId) =>
      jsonRequest('POST', path, {}, { clientId, clientSecret, clientUserId, clientUserName: 'Ada' }),
    );
    const answers = await sendWell(service.port, requests);
    return answers.map(({ body }) => (JSON.parse(body) as { specialToken: string }).specialToken);
  };
  return {
    service,
    settings,
    clientId,
    clientSecret,
    groupUid: items[0]?.option_group_uid ?? '',
    keys: items.map(({ option_key_uid: uid }, index) => ({ uid, values: valuesOf(index) })),
    users: population,
    importUsers,
    name,
    specialTokens: (count) => specialTokens('/api/v2/app/create-user', Array.from({ length: count }, name)),
    async accessTokens(count) {
      const names = population.slice(0, count).map((_, index) => `user-${index + 1}@example.com`);
      const requests = (await specialTokens('/api/v2/app/special-token', names)).map((specialToken) =>
        jsonRequest('POST', '/oauth/v2/get-access-token', {}, { clientSecret, specialToken }),
      );
      const answers = await sendWell(service.port, requests);
      return answers.map(({ body }) => (JSON.parse(body) as { access_token: string }).access_token);
    },
    stop: () => service.stop(),
  };
}

export const credentials = ({ clientId, clientSecret }: Stage): Record<string, string> => basic(clientId, clientSecret);

const keyNames = Array.from({ length: KEYS }, (_, index) => `choice-${index}`);

/** In turn a switch and a choice of texts. */
function valuesOf(index: number): [unknown, unknown] {
  return index % 2 === 0 ? [true, false] : ['often', 'never'];
}

/** One group of 20 keys in 5 languages, and four small ones. */
function makeCatalog(): object {
  const texts = (what: string) => Object.fromEntries(Object.keys(LANGUAGES).map((tag) => [tag, `${what} (${tag})`]));
  const group = (name: string, keys: string[]) => ({
    name,
    translations: texts(name),
    keys: keys.map((key, index) => ({
      name: key,
      translations: texts(`Your ${key}`),
      ...(index % 2 === 0
        ? { type: 'boolean' }
        : {
            type: 'string',
            values: ['often', 'sometimes', 'never'].map((value) => ({ value, translations: texts(value) })),
          }),
    })),
  });
  return {
    languages: Object.entries(LANGUAGES).map(([tag, name]) => ({ name, tag, default: tag === 'en' })),
    groups: [GROUP, 'privacy', 'sound', 'display', 'travel'].map((name) =>
      group(name, name === GROUP ? keyNames : keyNames.slice(0, 3)),
    ),
  };
}
