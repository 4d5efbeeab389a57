import { randomUUIDv7 } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../results.ts';
import { innkeeper } from '../service.ts';

const CATALOG = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'look',
      keys: Array.from({ length: 10 }, (_, index) => ({
        name: `key-${index}`,
        type: 'string',
        values: ['light', 'dark'],
      })),
    },
  ],
};

/** `innkeeper users import` into a new SQLite database, including its start; and the disk space of a selection. */
export async function measureImport(folder: string, users: number, runs: number): Promise<Figure[]> {
  const rates: number[] = [];
  const bytes: number[] = [];
  for (let run = 0; run < runs; run++) {
    const path = join(folder, `import-${run}.db`);
    const settings = { INNKEEPER_DATABASE_URL: `sqlite:${path}` };
    const { clientId } = JSON.parse(await innkeeper(['app', 'create', '--name', 'Bench', '--json'], settings)) as {
      clientId: string;
    };
    const catalog = join(folder, 'import-catalog.json');
    await writeFile(catalog, JSON.stringify(CATALOG));
    await innkeeper(['catalog', 'apply', catalog, '--app', clientId, '--json'], settings);
    const put = async (name: string, count: number, selections: number): Promise<number> => {
      const file = join(folder, 'import.ndjson');
      await writeFile(file, usersWith(name, count, selections));
      const before = performance.now();
      await innkeeper(['users', 'import', file, '--app', clientId, '--json'], settings);
      return count / ((performance.now() - before) / 1000);
    };
    rates.push(await put('three', users, 3));
    // When the last connection closes, everything is moved into the file itself.
    const first = await sizeOf(path);
    await put('none', users / 10, 0);
    const second = await sizeOf(path);
    await put('ten', users / 10, 10);
    bytes.push(((await sizeOf(path)) - second - (second - first)) / users);
  }
  return [
    {
      name: 'import',
      title: `import of ${users.toLocaleString('en')} users with 3 selections`,
      unit: 'users/s',
      values: rates,
    },
    {
      name: 'selection-bytes',
      title: 'bytes on disk for a selection, history and indexes included',
      unit: 'bytes',
      values: bytes,
    },
  ];
}

function usersWith(name: string, count: number, selections: number): string {
  const options = CATALOG.groups.flatMap((group) =>
    group.keys.slice(0, selections).map((key) => ({ group: group.name, key: key.name, value: ['dark'] })),
  );
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      clientUserId: `${name}-${index}@example.com`,
      clientUserName: 'Ada Lovelace',
      service_user_code: randomUUIDv7(),
      options,
    }),
  ).join('\n');
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
