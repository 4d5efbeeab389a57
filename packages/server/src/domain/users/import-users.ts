import type { ImportEntry, Storage } from '../../storage/port.ts';
import { loadCompiledCatalog } from '../catalog/load-compiled.ts';
import { parseValues } from '../catalog/stored-value.ts';
import { pauses } from '../slices.ts';
import { ImportBatches, type ImportCounts, type ImportOptions } from './import-batches.ts';
import { createLineReader, type FileLine, type Held, LineRefused } from './import-line.ts';
import { SeenIds } from './seen-ids.ts';

export type ImportResult = { outcome: 'done' | 'interrupted' | 'application-gone'; counts: ImportCounts };

/** Imports the users of a file, in batches; each line is imported completely or not at all. */
export async function importUsers(
  storage: Storage,
  appId: number,
  lines: AsyncIterable<readonly FileLine[]>,
  options: ImportOptions,
): Promise<ImportResult> {
  const catalog = options.catalog ?? (await loadCompiledCatalog(storage, appId));
  const readLine = createLineReader(catalog, { ...options, appId });
  const tryLine = (line: FileLine, held?: Held): ImportEntry | LineRefused => {
    try {
      return readLine(line, held);
    } catch (error) {
      if (error instanceof LineRefused) return error;
      throw error;
    }
  };

  const batches = new ImportBatches(storage, appId, options);
  const { counts } = batches;
  const seen = new SeenIds();
  for (const id of options.earlierIds ?? []) seen.add(id);
  const isOver = (): boolean => batches.applicationGone || options.signal?.aborted === true;
  const pause = pauses();
  for await (const some of lines) {
    for (const line of some) {
      if (isOver()) break;
      const paused = pause();
      if (paused) await paused;
      if ('text' in line && line.text.trim() === '') continue;
      counts.lines++;
      let entry = tryLine(line);
      if (entry instanceof LineRefused && entry.unlessHeld) {
        entry = tryLine(line, await readHeld(storage, appId, entry.clientUserId));
      }
      if (entry instanceof LineRefused) batches.reject(line, entry);
      else if (seen.add(entry.clientUserId)) await batches.putRepeated(line, entry);
      else if (batches.add(line, entry)) await batches.send();
    }
    if (isOver()) break;
    options.onProgress?.(counts);
  }
  await batches.finish();
  if (batches.applicationGone) return { outcome: 'application-gone', counts };
  return { outcome: options.signal?.aborted ? 'interrupted' : 'done', counts };
}

/** The user's current selections: retired values among them may be kept. */
async function readHeld(storage: Storage, appId: number, clientUserId: string | null): Promise<Held> {
  const user = clientUserId === null ? undefined : await storage.transfer.find(appId, clientUserId);
  return new Map(user?.selections.map(({ keyNo, value }) => [keyNo, parseValues(value)]));
}
