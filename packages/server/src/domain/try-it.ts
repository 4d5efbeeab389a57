import { randomUUIDv7 } from 'node:crypto';
import type { Application } from './applications/application.ts';
import type { Key, Scalar } from './catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from './catalog/compile.ts';
import { InnkeeperError } from './errors.ts';
import { checkSelection } from './selections/check-selection.ts';
import type { Service } from './service.ts';

/** Far longer than a trial takes, even if the token service does not respond. */
const MAX_MS = 5 * 60_000;

export type Trial = { clientUserId: string; clientSecret: string };

/**
 * Lends a clientSecret and the id for a new user. The user is recorded before `work` creates it and deleted when this
 * returns; if this process dies before that, housekeeping deletes it (maintenance.ts).
 */
export async function withTrial<T>(
  { storage, applications, now }: Service,
  application: Application,
  work: (trial: Trial) => Promise<T>,
): Promise<T> {
  const { appId } = application;
  const clientUserId = `innkeeper-try-${randomUUIDv7()}`;
  if ((await storage.trials.add(appId, clientUserId, now() + MAX_MS)) === 'application-gone') {
    throw new InnkeeperError('applicationNotFound');
  }
  try {
    return await applications.lendSecret(application, (clientSecret) => work({ clientUserId, clientSecret }));
  } finally {
    // The result is returned anyway: housekeeping deletes the user later.
    await storage.trials.end(appId, clientUserId).catch(() => {});
  }
}

export type SampleSelection = { placed: PlacedKey; values: Scalar[] };

/** A selection that a new user could make, for the first key with a suitable value. */
export function sampleSelection(catalog: CompiledCatalog, today: string): SampleSelection | undefined {
  const circumstances = { languages: catalog.languages, language: undefined, held: [] };
  for (const placed of catalog.keys) {
    const values = candidates(placed.key, today).find(
      (sent) => !('problems' in checkSelection(placed.key, sent, circumstances)),
    );
    if (values) return { placed, values };
  }
  return undefined;
}

/** Prefers values other than the default. */
function candidates(key: Key, today: string): Scalar[][] {
  const byDefault = key.defaultValue === null ? [] : [key.defaultValue].flat();
  if (key.values) {
    const offered = key.values.filter(({ retired }) => !retired).map(({ value }) => value);
    const others = offered.filter((value) => !byDefault.includes(value));
    const several = [...others, ...offered.filter((value) => byDefault.includes(value))];
    return [...others.map((value) => [value]), several.slice(0, Math.max(key.minSelected, 1)), byDefault];
  }
  const { min, max } = key.constraint;
  const bounds = [min, max].filter((bound) => bound !== undefined);
  const singles: Record<Key['type'], Scalar[]> = {
    boolean: [byDefault[0] !== true],
    string: ['Hello', 'A'],
    integer: [...bounds, 1, 0],
    number: [...bounds, 1, 0],
    date: [today, ...bounds],
  };
  return [...singles[key.type].map((value) => [value]), byDefault];
}
