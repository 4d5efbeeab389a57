import { join } from 'node:path';
import { makeCatalog } from '../catalog.ts';
import { times } from '../peers/peer.ts';
import type { Figure } from '../results.ts';
import { innkeeper, residentMegabytes, startService } from '../service.ts';

/** Memory is measured when the catalogs of so many have been read. */
const COUNTS = [1, 100, 1_000];
const APPLICATIONS = COUNTS.at(-1) as number;

/**
 * A service on SQLite with a thousand applications, each with the catalog of the benchmark: how long it takes to start,
 * and how much memory applications take when their catalogs have been read in one language.
 */
export async function measureApplications(folder: string): Promise<Figure[]> {
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'applications.db')}` };
  const { token } = JSON.parse(
    await innkeeper(['token', 'create', '--name', 'bench', '--access', 'own', '--json'], settings),
  ) as { token: string };
  const clientIds = await fill(settings, token);
  const service = await startService(settings);
  try {
    const before = await residentMegabytes(service.child);
    const memory: Figure[] = [];
    for (const [index, clientId] of clientIds.entries()) {
      const response = await fetch(`${service.url}/api/option_groups`, { headers: { apiKey: clientId } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`reading a catalog: ${response.status}`);
      const count = index + 1;
      if (!COUNTS.includes(count)) continue;
      const title = `${APPLICATIONS.toLocaleString('en')} applications: memory when ${count.toLocaleString('en')} of their catalogs were read`;
      const megabytes = await residentMegabytes(service.child);
      memory.push({ name: `applications-memory-${count}`, title, unit: 'MB', values: [megabytes] });
    }
    const each = ((((memory.at(-1) as Figure).values[0] as number) - before) * 1024) / APPLICATIONS;
    return [
      ...memory,
      { name: 'application-memory', title: 'for each of them', unit: 'kB', values: [each] },
      { name: 'applications-start', title: 'process start to ready with them', unit: 'ms', values: [service.readyMs] },
    ];
  } finally {
    await service.stop();
  }
}

async function fill(settings: NodeJS.ProcessEnv, token: string): Promise<string[]> {
  const service = await startService(settings);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' };
  const send = async (method: string, path: string, body: object): Promise<{ clientId: string }> => {
    const response = await fetch(`${service.url}/manage/v1${path}`, { method, headers, body: JSON.stringify(body) });
    const made = (await response.json()) as { clientId: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return made;
  };
  try {
    return await times(APPLICATIONS, async (at) => {
      const { clientId } = await send('POST', '/applications', { name: `Application ${at}` });
      await send('PUT', `/applications/${clientId}/catalog`, makeCatalog());
      return clientId;
    });
  } finally {
    await service.stop();
  }
}
