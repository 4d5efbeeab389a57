import { setTimeout as sleep } from 'node:timers/promises';
import { SEALED_PLACES, type Storage } from '../storage/port.ts';
import { SECRET_FACT, WrongSecret } from './check-secret.ts';
import type { Keyring } from './keyring.ts';

const BATCH = 100;
/**
 * By then, every replica seals under the new secret (follow-changes.ts), and no act that began under the previous one
 * still waits for a lock.
 */
const NOTICED_MS = 7_000;

export type Rotation = {
  /** unchanged: everything was already under the current secret. */
  outcome: 'rotated' | 'unchanged';
  /** null: never. */
  rotatedAt: number | null;
  resealed: number;
  total: number;
  /** Texts that open with neither secret, as before. */
  unreadable: number;
};

export type Progress = (done: number, total: number) => void;

/**
 * Moves a database from the previous secret to the current one. The two secrets together open the state after each
 * step, and a repeated step does nothing, so after a crash another run finishes the job.
 */
export async function rotateMasterSecret(
  storage: Storage,
  { master }: Keyring,
  { now, noticedMs = NOTICED_MS, onProgress = () => {} }: { now: number; noticedMs?: number; onProgress?: Progress },
): Promise<Rotation> {
  const check = async () => {
    const sealed = await storage.facts.get(SECRET_FACT);
    const state = sealed === undefined ? undefined : master.adopt(sealed);
    if (sealed === undefined || !state)
      throw new WrongSecret('INNKEEPER_SECRET was changed by another command meanwhile. Run this one again.');
    return { sealed, state };
  };
  let { sealed, state } = await check();
  const isSwitching = state.under === 'previous';
  if (isSwitching) {
    // Another command may be faster; either way, the database now uses the current secret.
    await storage.sealed.switchSecret(SECRET_FACT, sealed, master.nextCheck(now));
    ({ sealed, state } = await check());
  }
  const { rotatedAt } = state;
  if (rotatedAt === undefined)
    return { outcome: 'unchanged', rotatedAt: null, ...(await resealAll(storage, master, onProgress)) };
  let counts = await resealAll(storage, master, onProgress);
  if (!state.isResealed) {
    await sleep(noticedMs);
    const late = await resealAll(storage, master, onProgress);
    counts = { ...late, resealed: counts.resealed + late.resealed };
  }
  if (!state.isResealed) {
    const { under: _, ...rest } = state;
    await storage.facts.replace(SECRET_FACT, sealed, master.sealCheck({ ...rest, isResealed: true }));
  }
  const isUnchanged = !isSwitching && state.isResealed && counts.resealed === 0;
  return { outcome: isUnchanged ? 'unchanged' : 'rotated', rotatedAt, ...counts };
}

/** How much is sealed, how much of it under the current secret, and how much still has to be resealed. */
export async function countSealed(storage: Storage, { master }: Keyring) {
  const texts = await storage.sealed.list();
  const found = texts.map(({ place, sealed }) => master.reseal(SEALED_PLACES[place].use, sealed));
  const current = found.filter((each) => each === 'current').length;
  const left = found.filter((each) => typeof each === 'object').length;
  return { total: texts.length, current, left };
}

async function resealAll(storage: Storage, master: Keyring['master'], onProgress: Progress) {
  const texts = await storage.sealed.list();
  let [resealed, unreadable] = [0, 0];
  for (let at = 0; at < texts.length; at += BATCH) {
    const changes = texts.slice(at, at + BATCH).flatMap(({ place, sealed }) => {
      const again = master.reseal(SEALED_PLACES[place].use, sealed);
      if (again === undefined) unreadable++;
      return again === undefined || again === 'current' ? [] : [{ place, from: sealed, to: again.sealed }];
    });
    if (changes.length > 0) resealed += await storage.sealed.replace(changes);
    onProgress(Math.min(at + BATCH, texts.length), texts.length);
  }
  return { resealed, total: texts.length, unreadable };
}
