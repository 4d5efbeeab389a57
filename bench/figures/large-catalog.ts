import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../results.ts';
import { innkeeper, residentMegabytes, startService } from '../service.ts';

/** Keys of each catalog, in 20 languages: 5,000 of them have 401,000 texts. */
const SIZES = [10, 1_000, 5_000];
const KEYS_PER_GROUP = 50;
const TAGS = 'en de es fr it pt nl sv da fi pl cs hu ro bg el tr uk ja ko'.split(' ');
const PAGE = 200;

/** What a catalog costs as it grows: applied by the command line, served on SQLite. */
export async function measureLargeCatalog(folder: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const keys of SIZES) figures.push(...(await measureCatalog(folder, keys)));
  return figures;
}

async function measureCatalog(folder: string, keys: number): Promise<Figure[]> {
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, `catalog-${keys}.db`)}` };
  const run = (...args: string[]): Promise<string> => innkeeper([...args, '--json'], settings);
  const { clientId } = JSON.parse(await run('app', 'create', '--name', 'Large')) as { clientId: string };
  const apply = async (word: string): Promise<number> => {
    const file = join(folder, 'catalog.json');
    await writeFile(file, JSON.stringify(makeCatalog(keys, word)));
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
    const page = `/api/option_keys?limit=${PAGE}&language=`;
    const made: number[] = [];
    for (const tag of TAGS) made.push(await get(page + tag));
    const ready: number[] = [];
    for (let round = 0; round < 10; round++) for (const tag of TAGS) ready.push(await get(page + tag));
    for (let offset = 0; offset < keys; offset += PAGE) await get(`/api/option_keys?limit=${PAGE}&offset=${offset}`);
    const memory = await residentMegabytes(service.child);
    const one: number[] = [];
    for (let round = 0; round < 5; round++) one.push(await publishText(service.url, { clientId, token }, round));
    const size = `${keys.toLocaleString('en')} keys × ${TAGS.length} languages`;
    const figure = (name: string, title: string, unit: string, values: number[]): Figure => ({
      name: `${name}-${keys}`,
      title: `${size}: ${title}`,
      unit,
      values,
    });
    return [
      figure('publish-all', 'publish all of them', 'ms', [all]),
      figure('publish-one', 'publish one changed text', 'ms', one),
      figure('publish-file', 'apply their file, in which one text changed, by the command line', 'ms', [fileWithOne]),
      figure('catalog-first', 'first request, which loads and compiles them', 'ms', [first]),
      figure('catalog-page', `a page of ${Math.min(keys, PAGE)} keys in one language, first time`, 'ms', made),
      figure('catalog-page-ready', 'the same page, cached', 'ms', ready),
      figure('memory-catalog', 'memory after all pages in all languages', 'MB', [memory]),
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

function makeCatalog(count: number, firstWord: string): object {
  const texts = (what: string) => Object.fromEntries(TAGS.map((tag) => [tag, `${what} in ${tag}`]));
  return {
    languages: TAGS.map((tag) => ({ name: `Language ${tag}`, tag })),
    groups: Array.from({ length: Math.ceil(count / KEYS_PER_GROUP) }, (_, group) => ({
      name: `group-${group}`,
      translations: texts(`${group === 0 ? firstWord : 'Group'} ${group}`),
      keys: Array.from({ length: Math.min(count, KEYS_PER_GROUP) }, (_, key) => ({
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
