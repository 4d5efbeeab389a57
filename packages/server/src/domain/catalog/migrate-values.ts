import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage, ValueRow } from '../../storage/port.ts';
import { orderedUuid } from '../../uuid.ts';
import type { Scalar } from './catalog.ts';
import { parseValue, typeProblem } from './check-value.ts';
import type { CompiledCatalog, PlacedKey } from './compile.ts';
import { savedValues } from './publish.ts';
import { inCatalogOrder } from './read-key.ts';
import { pathOf } from './translatable.ts';

export type WantedMigration = { placed: PlacedKey; from: Scalar; to: Scalar };

/** A stored value, its replacement, and how many selections have it. */
type MigrationStep = { from: string; to: string; count: number };
export type MigrationPlan = { selections: number };

/** Selections per transaction, so that others can save in between. */
const BATCH = 200;
/** Pause between batches: longer than SQLite sleeps between its first tries for the lock. */
const PAUSE_MS = 12;
/** Others may save the old value meanwhile, or delete a user, so the scan is repeated up to this often. */
const ROUNDS = 10;

/** Why a migration is invalid, and in which member; undefined if it is valid. */
export function migrationProblem({
  placed: { key },
  from,
  to,
}: WantedMigration): { field: string; message: string } | undefined {
  if (key.values === null) return { field: 'key', message: 'is open: only allowed values can be migrated' };
  const problem = typeProblem(key.type, from);
  if (problem) return { field: 'from', message: problem };
  const target = key.values.find(({ value }) => value === to);
  if (!target) return { field: 'to', message: 'is not a value of this key' };
  if (target.retired) return { field: 'to', message: 'is retired' };
  return from === to ? { field: 'to', message: 'must differ from `from`' } : undefined;
}

/** Counts every selection with the value. */
export async function planMigration(storage: Storage, appId: number, wanted: WantedMigration): Promise<MigrationPlan> {
  let selections = 0;
  for await (const rows of savedValues(storage, appId, wanted.placed.key.keyNo)) {
    for (const { count } of stepsOf(rows, wanted)) selections += count;
  }
  return { selections };
}

function stepsOf(rows: readonly ValueRow[], wanted: WantedMigration): MigrationStep[] {
  const { key } = wanted.placed;
  return rows.flatMap(({ value, count }): MigrationStep[] => {
    const held = parseValue(value);
    // Saved while the key was of another kind: it does not fit the key at all.
    if (Array.isArray(held) !== key.multiple || ![held].flat().includes(wanted.from)) return [];
    return [{ from: value, to: JSON.stringify(replaced(held, wanted)), count }];
  });
}

/** Without repeats and in catalog order; values no longer in the catalog come last, unchanged. */
function replaced(held: Scalar | Scalar[], { placed: { key }, from, to }: WantedMigration): Scalar | Scalar[] {
  if (!Array.isArray(held)) return to;
  const values = held.map((value) => (value === from ? to : value));
  const known = inCatalogOrder(key, values);
  return [...known, ...new Set(values.filter((value) => !known.includes(value)))];
}

type MigrationProgress = { migrated: number; planned: number };

/**
 * Replaces a value in all selections, in small transactions: each writes its history and its part of the audit entry,
 * and after a kill the next run continues with the rest. Ends early if `isOver` says so.
 */
export async function migrateValues(
  storage: Storage,
  appId: number,
  { revision }: CompiledCatalog,
  wanted: WantedMigration,
  { now, actor, isOver = () => false, onProgress }: MigrationRun,
): Promise<{ migrated: number; remaining: number }> {
  const {
    placed: { group, key },
    from,
    to,
  } = wanted;
  const { keyNo } = key;
  const about = { migrationId: orderedUuid(), subject: pathOf(group.name, key.name), values: { from, to } };
  let migrated = 0;
  for (let round = 0; ; round++) {
    const plan = await planMigration(storage, appId, wanted);
    if (plan.selections === 0 || round === ROUNDS || isOver()) return { migrated, remaining: plan.selections };
    const before = migrated;
    for await (const rows of savedValues(storage, appId, keyNo)) {
      for (const step of stepsOf(rows, wanted)) {
        const replacement = { ...about, keyNo, from: step.from, to: step.to, revision, limit: BATCH };
        for (let count = BATCH; count === BATCH && !isOver(); ) {
          count = await storage.selections.replaceValue(appId, replacement, { at: now(), actor });
          migrated += count;
          onProgress?.({ migrated, planned: before + plan.selections });
          await sleep(PAUSE_MS);
        }
      }
    }
  }
}

export type MigrationRun = {
  now: () => number;
  actor: string;
  isOver?: () => boolean;
  onProgress?: (progress: MigrationProgress) => void;
};
