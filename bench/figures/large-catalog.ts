import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../results.ts';
import { innkeeper, residentMegabytes, startService } from '../service.ts';

/** A catalog of 5,000 keys in 20 languages, 401,000 texts: applied by the command line, served on SQLite. */
const GROUPS = 100;
const KEYS_PER_GROUP = 50;
const TAGS = 'en de es fr it pt nl sv da fi pl cs hu ro bg el tr uk ja ko'.split(' ');

export async function measureLargeCatalog(folder: string): Promise<Figure[]> {
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'large-catalog.db')}` };
  const run = (...args: string[]): Promise<string> => innkeeper([...args, '--json'], settings);
  const { clientId } = JSON.parse(await run('app', 'create', '--name', 'Large')) as { clientId: string };
  const apply = async (word: string): Promise<number> => {
    const file = join(folder, 'large-catalog.json');
    await writeFile(file, JSON.stringify(makeCatalog(word)));
    return timed(() => run('catalog', 'apply', file, '--app', clientId));
  };
  const all = await apply('Group');
  const fileWithOne = await apply('A group');
  const { token } = JSON.parse(
    await run('token', 'create', '--name', 'bench', '--app', clientId, '--access', 'write'),
  ) as { token: string };

  const service = await startService(settings);
  try {
    const get = (path: string): Promise<number> =>
      timed(async () => {
        const response = await fetch(service.url + path, { headers: { apiKey: clientId } });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
      });
    const first = await get('/api/option_groups');
    const page = '/api/option_keys?limit=200&language=';
    const made: number[] = [];
    for (const tag of TAGS) made.push(await get(page + tag));
    const ready: number[] = [];
    for (let round = 0; round < 10; round++) for (const tag of TAGS) ready.push(await get(page + tag));
    for (let offset = 0; offset < GROUPS * KEYS_PER_GROUP; offset += 200) {
      await get(`/api/option_keys?limit=200&offset=${offset}`);
    }
    const memory = await residentMegabytes(service.child);
    const one: number[] = [];
    for (let round = 0; round < 5; round++) one.push(await publishText(service.url, { clientId, token }, round));
    return [
      { name: 'publish-all', title: 'publish 5,000 keys × 20 languages, all new', unit: 'ms', values: [all] },
      { name: 'publish-one', title: 'publish one changed text among them', unit: 'ms', values: one },
      {
        name: 'publish-file',
        title: 'apply their file, in which one text changed, by the command line',
        unit: 'ms',
        values: [fileWithOne],
      },
      { name: 'catalog-first', title: 'first request: loads and compiles them', unit: 'ms', values: [first] },
      { name: 'catalog-page', title: '200 keys in one language, first time', unit: 'ms', values: made },
      { name: 'catalog-page-ready', title: '200 keys in one language, ready-made', unit: 'ms', values: ready },
      { name: 'memory-catalog', title: 'memory after all pages in all languages', unit: 'MB', values: [memory] },
    ];
  } finally {
    await service.stop();
  }
}

/** As the portal does it, without a draft. */
function publishText(url: string, application: { clientId: string; token: string }, round: number): Promise<number> {
  return timed(async () => {
    const response = await fetch(`${url}/manage/v1/applications/${application.clientId}/catalog/translations`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${application.token}`, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ texts: [{ path: 'group-0/key-0', language: 'de', text: `Text ${round}` }] }),
    });
    const { changed } = (await response.json()) as { changed?: boolean };
    if (!changed) throw new Error(`publishing a text: ${response.status}`);
  });
}

function makeCatalog(firstWord: string): object {
  const texts = (what: string) => Object.fromEntries(TAGS.map((tag) => [tag, `${what} in ${tag}`]));
  return {
    languages: TAGS.map((tag) => ({ name: `Language ${tag}`, tag })),
    groups: Array.from({ length: GROUPS }, (_, group) => ({
      name: `group-${group}`,
      translations: texts(`${group === 0 ? firstWord : 'Group'} ${group}`),
      keys: Array.from({ length: KEYS_PER_GROUP }, (_, key) => ({
        name: `key-${key}`,
        type: 'string',
        translations: texts(`Key ${group}.${key}`),
        values: ['a', 'b', 'c'].map((value) => ({ value, translations: texts(`Value ${value} of ${group}.${key}`) })),
      })),
    })),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
