import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { publishCatalog } from '../../../src/domain/catalog/publish.ts';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { finish } from '../../../src/domain/slices.ts';
import type { TestServer } from '../start.ts';

/** One key of each type, in three languages, one of them a variant of another. */
export const EXAMPLE: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'Deutsch (Österreich)', tag: 'de-AT' },
  ],
  groups: [
    {
      name: 'kitchen',
      translations: { English: 'Kitchen', Deutsch: 'Küche' },
      keys: [
        { name: 'vegetarian', type: 'boolean', default: false, translations: { Deutsch: 'Vegetarisch' } },
        {
          name: 'fruit',
          type: 'string',
          multiple: true,
          min: 1,
          max: 2,
          default: ['apple'],
          translations: { English: 'Fruit', Deutsch: 'Obst' },
          values: [
            { value: 'apple', translations: { English: 'Apple', Deutsch: 'Apfel' } },
            { value: 'apricot', translations: { Deutsch: 'Aprikose', 'Deutsch (Österreich)': 'Marille' } },
            { value: 'cherry' },
          ],
        },
        { name: 'portions', type: 'integer', values: [1, 2, 4] },
        { name: 'ratio', type: 'number', values: [1, 1.5, 2] },
      ],
    },
    {
      name: 'open',
      keys: [
        { name: 'volume', type: 'integer', default: 5, constraint: { min: 0, max: 10, step: 5 } },
        { name: 'motto', type: 'string', constraint: { max_length: 20, pattern: '[a-zA-Zäöü !]+' } },
        { name: 'birthday', type: 'date', constraint: { min: '1900-01-01', max: '2026-12-31' } },
        { name: 'tags', type: 'string', multiple: true },
      ],
    },
    { name: 'empty' },
  ],
};

export type Wire = Record<string, unknown>;

/** An application with a catalog, and what a client would know about it. */
export async function withCatalog(server: TestServer, file: CatalogFile = EXAMPLE, settings?: Record<string, unknown>) {
  const application = await server.application(settings);
  const apiKey = { apiKey: application.clientId };
  const publish = async (next: CatalogFile, allowBreaking = true) => {
    const read = finish(readDefinition(next));
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    const options = { author: 'test', now: Date.now(), allowBreaking };
    return publishCatalog(server.service.storage, application.appId, read.definition, options);
  };
  await publish(file);
  const get = (path: string, headers: Record<string, string> = {}) =>
    server.send('GET', path, { headers: { ...apiKey, ...headers } });
  const keyNamed = async (name: string): Promise<Wire> => {
    const { json } = await get('/api/option_keys?limit=200');
    const key = (json.items as Wire[]).find((each) => each.name === name);
    if (!key) throw new Error(`no key ${name}`);
    return key;
  };
  /** The body for saving a key, without the user. */
  const choice = async (name: string, value: unknown, more: Wire = {}): Promise<Wire> => {
    const { option_group_uid, option_key_uid } = await keyNamed(name);
    return { option_group_uid, option_key_uid, value, ...more };
  };
  return { application, apiKey, publish, get, keyNamed, choice };
}
