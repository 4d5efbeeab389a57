import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GROUP, KEY_NAMES, makeCatalog, valuesOf } from './catalog.ts';
import { basic, jsonRequest } from './request.ts';
import { sendOk } from './send.ts';
import { commandOf, innkeeper, type Service, startService } from './service.ts';

/** A running service with one application, its catalog and its users, for operations to send requests to. */
export type Stage = {
  service: Service;
  /** The settings for commands on its database. */
  settings: NodeJS.ProcessEnv;
  clientId: string;
  clientSecret: string;
  /** GROUP and its keys, each with two values to choose from. */
  groupUid: string;
  keys: { uid: string; values: [unknown, unknown] }[];
  /** Users with a selection for the first `selected` keys; a sample across all of them if there are very many. */
  users: User[];
  selected: number;
  /** More users, each with a selection for three keys. */
  importUsers(count: number): Promise<User[]>;
  specialTokens(count: number): Promise<string[]>;
  /** Access tokens of the first `count` users. */
  accessTokens(count: number): Promise<string[]>;
  /** Never returns the same name twice. */
  name(): string;
  stop(): Promise<void>;
};

export type User = { code: string; name: string };

export type StageOptions = {
  databaseUrl: string;
  folder: string;
  users: number;
  /** For how many keys each user has chosen. */
  selected?: number;
  nodeArgs?: string[];
  /** The checkout whose service to run, if not this one. */
  checkout?: string | undefined;
  /** Additional settings of the service. */
  env?: NodeJS.ProcessEnv;
};

/** How many users are kept; of more, every second, third and so on. */
const KEPT = 20_000;

export async function setStage(options: StageOptions): Promise<Stage> {
  const { databaseUrl, folder, users, selected = 10, nodeArgs, checkout, env } = options;
  const command = checkout === undefined ? undefined : commandOf(checkout);
  const settings = {
    ...env,
    INNKEEPER_DATABASE_URL: databaseUrl,
    ...(databaseUrl.startsWith('postgres') ? { INNKEEPER_SECRET: randomBytes(32).toString('hex') } : {}),
  };
  const run = async <T>(args: string[], input?: Iterable<string>): Promise<T> =>
    JSON.parse(await innkeeper([...args, '--json'], settings, input, command)) as T;
  const { clientId, clientSecret } = await run<Stage>(['app', 'create', '--name', 'Bench']);
  await run(['app', 'set', clientId, 'specialTokenTtl=7d', 'accessTokenTtl=7d']);
  const catalog = join(folder, 'catalog.json');
  await writeFile(catalog, JSON.stringify(makeCatalog()));
  await run(['catalog', 'apply', catalog, '--app', clientId]);

  let named = 0;
  const name = (): string => `user-${++named}@example.com`;
  const importUsers = async (count: number, selections = 3): Promise<User[]> => {
    const kept: User[] = [];
    const lines = function* (): Iterable<string> {
      const chosen = KEY_NAMES.slice(0, selections);
      const options = chosen.map((key, index) => ({ group: GROUP, key, value: [valuesOf(index)[0]] }));
      for (let index = 0; index < count; index++) {
        const user = { code: randomUUIDv7(), name: name() };
        if (index % Math.ceil(count / KEPT) === 0) kept.push(user);
        const line = { clientUserId: user.name, clientUserName: 'Ada', service_user_code: user.code, options };
        yield `${JSON.stringify(line)}\n`;
      }
    };
    await run(['users', 'import', '-', '--app', clientId], lines());
    return kept;
  };
  const population = await importUsers(users, selected);

  const service = await startService(settings, nodeArgs, command);
  const response = await fetch(`${service.url}/api/option_keys?option_group_name=${GROUP}`, {
    headers: { apiKey: clientId },
  });
  const { items } = (await response.json()) as { items: { option_group_uid: string; option_key_uid: string }[] };

  const specialTokens = async (path: string, names: string[]): Promise<string[]> => {
    const requests = names.map((clientUserId) =>
      jsonRequest('POST', path, {}, { clientId, clientSecret, clientUserId, clientUserName: 'Ada' }),
    );
    const responses = await sendOk(service.port, requests);
    return responses.map(({ body }) => (JSON.parse(body) as { specialToken: string }).specialToken);
  };
  return {
    ...{ service, settings, clientId, clientSecret, selected, importUsers, name },
    groupUid: items[0]?.option_group_uid ?? '',
    keys: items.map(({ option_key_uid: uid }, index) => ({ uid, values: valuesOf(index) })),
    users: population,
    specialTokens: (count) => specialTokens('/api/v2/app/create-user', Array.from({ length: count }, name)),
    async accessTokens(count) {
      const names = population.slice(0, count).map((user) => user.name);
      const requests = (await specialTokens('/api/v2/app/special-token', names)).map((specialToken) =>
        jsonRequest('POST', '/oauth/v2/get-access-token', {}, { clientSecret, specialToken }),
      );
      const responses = await sendOk(service.port, requests);
      return responses.map(({ body }) => (JSON.parse(body) as { access_token: string }).access_token);
    },
    stop: () => service.stop(),
  };
}

export const credentials = ({ clientId, clientSecret }: Stage): Record<string, string> => basic(clientId, clientSecret);
