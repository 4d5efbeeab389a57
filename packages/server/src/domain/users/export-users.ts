import type { SelectionRecord, Storage, StoredUser } from '../../storage/port.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { loadCompiledCatalog } from '../catalog/load-compiled.ts';
import type { OpenTexts } from '../selections/open-texts.ts';
import { createKeyNames, type KeyNames } from './key-names.ts';
import { writeTransferTime } from './transfer-time.ts';

const PAGE = 500;

/** All users of an application, or those after one, as lines of docs/import.md, some at a time, in the order of their clientUserIds' bytes. */
export async function* exportUsers(
  storage: Storage,
  appId: number,
  begin: string | null = null,
): AsyncGenerator<{ text: string; users: number; profilesOnly: number; next: string | null }> {
  let catalog = await loadCatalog(storage, appId);
  for (let after = begin; ; ) {
    const page: StoredUser[] = await storage.transfer.exportUsers(appId, { after, limit: PAGE });
    // A selection may be newer than the catalog known here.
    if (page.some(({ selections }) => selections.some(({ revision }) => revision > catalog.revision))) {
      catalog = await loadCatalog(storage, appId);
    }
    const users = page.filter(({ createdAt }) => createdAt !== null).length;
    const text = page.map((user) => `${JSON.stringify(toLine(user, catalog))}\n`).join('');
    const next = page.length < PAGE ? null : (page.at(-1) as StoredUser).clientUserId;
    if (page.length > 0) yield { text, users, profilesOnly: page.length - users, next };
    if (next === null) return;
    after = next;
  }
}

type ExportCatalog = {
  revision: number;
  catalog: CompiledCatalog;
  names: KeyNames;
  places: ReadonlyMap<number, number>;
};

async function loadCatalog(storage: Storage, appId: number): Promise<ExportCatalog> {
  const catalog = await loadCompiledCatalog(storage, appId);
  return {
    revision: catalog.revision,
    catalog,
    names: createKeyNames(catalog),
    places: new Map([...catalog.keyByNo.keys()].map((keyNo, place) => [keyNo, place])),
  };
}

function toLine({ clientUserId, clientUserName, userId, createdAt, selections }: StoredUser, catalog: ExportCatalog) {
  if (createdAt === null) return { clientUserId, clientUserName, service_user_code: userId, profileOnly: true };
  const place = ({ keyNo }: SelectionRecord): number => catalog.places.get(keyNo) ?? Number.POSITIVE_INFINITY;
  // In the order of the catalog: key numbers differ between applications with the same one.
  const options = selections
    .toSorted((a, b) => place(a) - place(b))
    .flatMap((selection) => toOption(selection, catalog));
  return {
    clientUserId,
    clientUserName,
    service_user_code: userId,
    created_at: writeTransferTime(createdAt),
    options,
  };
}

function toOption(selection: SelectionRecord, { catalog, names }: ExportCatalog) {
  const placed = catalog.keyByNo.get(selection.keyNo);
  if (!placed) return [];
  return {
    group: placed.group.name,
    key: placed.key.name,
    // The names alone would mean another key.
    ...(names.find(placed.group.name, placed.key.name) !== placed && { option_key_uid: placed.key.keyUid }),
    value: [JSON.parse(selection.value)].flat(),
    ...(selection.language !== null && { language: selection.language }),
    ...(selection.texts !== null && { texts: listTexts(selection) }),
    user_options_uid: selection.selectionId,
    created_at: writeTransferTime(selection.createdAt),
    updated_at: writeTransferTime(selection.updatedAt),
  };
}

/** Of an open text in several languages: those beside `value`, each as `value` is written. */
function listTexts({ texts }: SelectionRecord): Record<string, string[]> {
  const others = JSON.parse(texts ?? '{}') as OpenTexts;
  return Object.fromEntries(Object.entries(others).map(([tag, text]) => [tag, [text].flat()]));
}
