import { PAGE_BYTES } from '../../page-bytes.ts';
import {
  type HistoryPlace,
  type SelectionEvent,
  type SelectionOrigin,
  type SelectionRecord,
  type Storage,
  type StoredEvent,
  type StoredUser,
  type StoredUserPage,
  sizeOfUser,
  type UserRecord,
} from '../../storage/port.ts';
import { writeTransferTime } from '../../time.ts';
import { addEntry, type PersonalRead } from '../audit.ts';
import { type CompiledCatalog, loadCompiledCatalog } from '../catalog/compile.ts';
import type { OpenTexts } from '../selections/open-texts.ts';
import { ownTurn } from '../slices.ts';
import { createKeyNames, type KeyNames } from './key-names.ts';
import { type ListPlace, pageOfUsers, type UserFilter } from './match-users.ts';
import type { Pace } from './search-time.ts';

const PAGE = 500;
/** Matching users loaded together; a page ends with those that fill it. */
const AT_ONCE = 16;

/** `next`: the position to continue an export from. */
type ExportPage = { text: string; users: number; profilesOnly: number; next: string | null };

/**
 * The users of an application, or those after a position, as lines of docs/import.md, some at a time: all of them in
 * byte order of their clientUserIds, or those that match a filter.
 */
export async function* exportUsers(
  storage: Storage,
  appId: number,
  {
    begin = null,
    filter,
    signal,
    pace,
  }: { begin?: string | null; filter?: UserFilter | undefined; signal?: AbortSignal; pace?: Pace } = {},
): AsyncGenerator<ExportPage> {
  let catalog = await loadCatalog(storage, appId);
  const pages = filter
    ? matchingUsers(storage, appId, filter, { begin, signal, pace })
    : allUsers(storage, appId, begin);
  for await (const { page, next } of pages) {
    // A selection may be newer than the catalog in memory.
    if (page.some(({ selections }) => selections.some(({ revision }) => revision > catalog.revision))) {
      catalog = await loadCatalog(storage, appId);
    }
    // A full page takes milliseconds to write.
    await ownTurn();
    const users = page.filter(({ createdAt }) => createdAt !== null).length;
    const text = page.map((user) => `${JSON.stringify(toLine(user, catalog))}\n`).join('');
    if (page.length > 0) yield { text, users, profilesOnly: page.length - users, next };
  }
}

type UserPage = { page: StoredUser[]; next: string | null };

async function* allUsers({ transfer }: Storage, appId: number, begin: string | null): AsyncGenerator<UserPage> {
  for (let after = begin; ; ) {
    const { users: page, next }: StoredUserPage = await transfer.exportUsers(appId, { after, limit: PAGE });
    yield { page, next };
    if (next === null) return;
    after = next;
  }
}

async function* matchingUsers(
  { users, transfer }: Storage,
  appId: number,
  filter: UserFilter,
  { begin, signal, pace }: { begin: string | null; signal: AbortSignal | undefined; pace: Pace | undefined },
): AsyncGenerator<UserPage> {
  const read = async ({ userId, clientUserId }: UserRecord): Promise<StoredUser | undefined> => {
    const user = await transfer.find(appId, clientUserId);
    if (user?.userId === userId) return user;
    const renamed = await users.find(appId, userId);
    return renamed && transfer.find(appId, renamed.clientUserId);
  };
  for (let place = begin === null ? undefined : (JSON.parse(begin) as ListPlace); ; ) {
    const found = await pageOfUsers(users, appId, filter, { place, limit: PAGE, signal, pace });
    const page: StoredUser[] = [];
    let [taken, bytes] = [0, 0];
    while (taken < found.users.length && bytes < PAGE_BYTES) {
      const some = found.users.slice(taken, taken + AT_ONCE);
      for (const user of await Promise.all(some.map(read))) {
        if (user) page.push(user);
        bytes += user ? sizeOfUser(user) : 0;
      }
      taken += some.length;
    }
    const next = taken < found.users.length ? (found.places[taken - 1] ?? null) : found.next;
    yield { page, next: next && JSON.stringify(next) };
    if (next === null) return;
    place = next;
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

function toLine(user: StoredUser, catalog: ExportCatalog) {
  const { clientUserId, clientUserName, userId, createdAt, status, updatedAt, selections } = user;
  if (createdAt === null) return { clientUserId, clientUserName, service_user_code: userId, profileOnly: true };
  const place = ({ keyNo }: SelectionRecord): number => catalog.places.get(keyNo) ?? Number.POSITIVE_INFINITY;
  // In catalog order: key numbers differ between applications with the same catalog.
  const options = selections
    .toSorted((a, b) => place(a) - place(b))
    .flatMap((selection) => toOption(selection, catalog));
  return {
    clientUserId,
    clientUserName,
    service_user_code: userId,
    ...(status === 'suspended' && { status }),
    created_at: writeTransferTime(createdAt),
    ...(updatedAt !== null && { updated_at: writeTransferTime(updatedAt) }),
    options,
  };
}

function toOption(selection: SelectionRecord, { catalog, names }: ExportCatalog) {
  const placed = catalog.keyByNo.get(selection.keyNo);
  if (!placed) return [];
  return {
    group: placed.group.name,
    key: placed.key.name,
    // The names alone would refer to another key.
    ...(names.find(placed.group.name, placed.key.name) !== placed && { option_key_uid: placed.key.keyUid }),
    value: [JSON.parse(selection.value)].flat(),
    ...(selection.language !== null && { language: selection.language }),
    ...(selection.texts !== null && { texts: listTexts(selection) }),
    user_options_uid: selection.selectionId,
    created_at: writeTransferTime(selection.createdAt),
    updated_at: writeTransferTime(selection.updatedAt),
  };
}

/** For free text in several languages: the texts besides `value`, in the same form. */
function listTexts({ texts }: SelectionRecord): Record<string, string[]> {
  const others = JSON.parse(texts ?? '{}') as OpenTexts;
  return Object.fromEntries(Object.entries(others).map(([tag, text]) => [tag, [text].flat()]));
}

type Walked = { storage: Pick<Storage, 'selections'> };

/** Everything ever saved for a user, page by page: it may not fit into memory. */
export async function* walkHistory({ storage }: Walked, userId: string): AsyncGenerator<SelectionEvent> {
  for (let after: HistoryPlace | null = null; ; ) {
    const page: (SelectionEvent & HistoryPlace)[] = await storage.selections.walkHistory(userId, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last;
  }
}

/** The same for the user's current selections. */
export async function* walkSelections(
  { storage }: Walked,
  userId: string,
): AsyncGenerator<SelectionRecord & SelectionOrigin> {
  for (let after = 0; ; ) {
    const page = await storage.selections.walk(userId, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.keyNo;
  }
}

const EVENTS_PER_PAGE = 200;

/** The stored events about the user, newest first. */
export async function* walkEvents(
  { storage }: { storage: Pick<Storage, 'events'> },
  appId: number,
  userId: string,
): AsyncGenerator<StoredEvent> {
  for (let before: number | null = null; ; ) {
    const { items, next }: Awaited<ReturnType<Storage['events']['listBack']>> = await storage.events.listBack(
      appId,
      { userId },
      { before, limit: EVENTS_PER_PAGE },
    );
    yield* items;
    if (next === null) return;
    before = next;
  }
}

/** For all users, with their number, or for those that match: the values of a filter may be personal data. */
export async function recordUsersExport(
  { audit, applications }: Pick<Storage, 'audit' | 'applications'>,
  read: Omit<PersonalRead, 'userId'>,
  filter: UserFilter | undefined,
  at: number,
): Promise<void> {
  const after = filter ? { filters: namesOf(filter) } : { users: await applications.countUsers(read.appId) };
  await addEntry(audit, 'users.exported', read, at, after);
}

function namesOf({ conditions, status, userId, created, test }: UserFilter): string[] {
  const parts = { selection: conditions[0], status, user: userId, created, search: test };
  return Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [name]));
}
