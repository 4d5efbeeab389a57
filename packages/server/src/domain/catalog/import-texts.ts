import type { Storage } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type MergedTexts, mergeTexts } from './merge-texts.ts';
import { type PublishOutcome, publishCatalog } from './publish.ts';
import { stampOf, type TextsFile } from './texts-file.ts';

export type ImportOutcome =
  | (PublishOutcome & Pick<MergedTexts, 'outdated'>)
  | ({ outcome: 'refused' } & Pick<MergedTexts, 'problems' | 'conflicts' | 'outdated'>);

/** Imports the texts of a file into an application's catalog, all or none, in one revision. */
export async function importTexts(
  storage: Storage,
  application: { appId: number; clientId: string },
  file: TextsFile,
  options: { author: string; now: number; prefer?: 'file' | 'catalog'; note?: string },
): Promise<ImportOutcome> {
  const { appId } = application;
  const current = await inSlices(readCatalog(await storage.catalogs.load(appId)));
  const base = await loadExported(storage, application, file.stamp);
  const merging = { ...(base && { base }), ...(options.prefer && { prefer: options.prefer }) };
  const { definition, problems, conflicts, outdated } = await inSlices(mergeTexts(current, file.entries, merging));
  if (problems.length > 0 || conflicts.length > 0) return { outcome: 'refused', problems, conflicts, outdated };
  const { author, now, note } = options;
  const published = await publishCatalog(storage, appId, definition, {
    author,
    now,
    allowBreaking: false,
    expectedRevision: current.revision,
    ...(note !== undefined && { note }),
  });
  return { ...published, outdated };
}

/** The catalog that a file was exported from, if the file says so. */
export async function loadExported(
  storage: Storage,
  { appId, clientId }: { appId: number; clientId: string },
  stamp: string | undefined,
): Promise<Catalog | undefined> {
  const revision = readStamp(stamp, clientId);
  const stored = revision === undefined ? undefined : await storage.catalogs.loadAt(appId, revision);
  return stored && inSlices(readCatalog(stored));
}

/** The revision a file was exported at, if it is from this application: another's revision numbers mean nothing here. */
function readStamp(stamp: string | undefined, clientId: string): number | undefined {
  const [, revision] = /@(\d{1,15})$/.exec(stamp ?? '') ?? [];
  return revision !== undefined && stamp === stampOf(clientId, Number(revision)) ? Number(revision) : undefined;
}
