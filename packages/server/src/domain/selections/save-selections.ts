import { randomUUIDv7 } from 'node:crypto';
import type { NewSelection, SelectionMeans, SelectionRecord, UserRecord } from '../../storage/port.ts';
import type { Key, Language, Scalar } from '../catalog/catalog.ts';
import type { Matches } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { userSuspended } from '../users/identify-user.ts';
import { checkSelection } from './check-selection.ts';

/** One choice as it was sent, its key and language found already. */
export type WantedSelection = {
  placed: PlacedKey;
  values: readonly unknown[];
  language: Language | undefined;
  /** What to put before a field's name in an error: `options[2].`, or nothing. */
  field: string;
};

export type SavedSelection = { record: SelectionRecord; created: boolean };

/** Checks every choice, then saves all or none. */
export async function saveSelections(
  service: Service,
  user: Pick<UserRecord, 'appId' | 'userId'>,
  catalog: CompiledCatalog,
  wanted: readonly WantedSelection[],
  means: SelectionMeans,
  matches?: Matches,
): Promise<SavedSelection[]> {
  const held = await heldValues(service, user, wanted);
  const selections = wanted.map((each) => toSelection(each, catalog, held, matches));
  const saved = await service.storage.selections.save(user.appId, user.userId, selections, {
    at: service.now(),
    means,
  });
  if (saved.outcome === 'user-gone') throw new InnkeeperError('profileUserNotFound');
  if (saved.outcome === 'user-suspended') throw userSuspended();
  service.activity.count(user.appId, 'selectionsSaved', saved.records.length);
  return saved.records.map((record, index) => ({
    record,
    created: record.selectionId === selections[index]?.selectionId,
  }));
}

function toSelection(
  { placed: { key }, values, language, field }: WantedSelection,
  catalog: CompiledCatalog,
  held: ReadonlyMap<number, readonly Scalar[]>,
  matches: Matches | undefined,
): NewSelection {
  if (key.archived) {
    throw new InnkeeperError('keyArchived', { fields: [{ field: `${field}option_key_uid`, message: 'is archived' }] });
  }
  const options = { languages: catalog.languages, language, held: held.get(key.keyNo) ?? [], matches };
  const checked = checkSelection(key, values, options);
  if ('problems' in checked) {
    const fields = checked.problems.map((problem) => ({ ...problem, field: field + problem.field }));
    const [first] = fields;
    throw new InnkeeperError('valueNotAllowed', { fields, message: `${first?.field} ${first?.message}.` });
  }
  return {
    selectionId: randomUUIDv7(),
    keyNo: key.keyNo,
    revision: catalog.revision,
    value: JSON.stringify(checked.value),
    language: isOpenText(key) ? ((language ?? catalog.languages.byDefault)?.tag ?? null) : null,
  };
}

/** What is written into an open text is in one language; everything else means the same in all. */
export function isOpenText(key: Pick<Key, 'type' | 'values'>): boolean {
  return key.type === 'string' && key.values === null;
}

/** What the user has of keys with retired values: those may be kept. Asked for only where it matters. */
async function heldValues(
  service: Service,
  user: Pick<UserRecord, 'appId' | 'userId'>,
  wanted: readonly WantedSelection[],
): Promise<Map<number, Scalar[]>> {
  if (!wanted.some(({ placed }) => placed.key.values?.some(({ retired }) => retired))) return new Map();
  const records = await service.storage.selections.list(user.userId);
  return new Map(records.map(({ keyNo, value }) => [keyNo, [JSON.parse(value) as Scalar | Scalar[]].flat()]));
}
