import type { KeySurvey, Storage } from '../../storage/port.ts';
import type { Key } from '../catalog/catalog.ts';

/** A survey is cached for ten times as long as it took, so that surveys take at most a tenth of the time. */
const KEPT_PER_MS = 10;
/** A faster survey is not worth caching. */
const CHEAP_MS = 200;
const MAX_KEPT_MS = 5 * 60_000;
/** For an open key, which may have as many values as users. */
const MAX_VALUES_SHOWN = 200;

export type DatedSurvey = KeySurvey & { at: number };
type Kept = { survey: Promise<DatedSurvey>; until: number };

/** Counting among millions is expensive: surveys run one after another, and concurrent requests share one. */
export class Surveys {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  take(appId: number, key: Key, fromDay: number | null): Promise<DatedSurvey> {
    const now = this.#now();
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    const name = JSON.stringify([appId, key.keyNo, fromDay, key.values !== null]);
    const known = this.#kept.get(name);
    if (known) return known.survey;
    const survey = this.#last.then(() => this.#run(appId, key, fromDay));
    const kept: Kept = { survey, until: Number.POSITIVE_INFINITY };
    this.#kept.set(name, kept);
    this.#last = survey.then(
      ({ at }) => {
        const end = this.#now();
        kept.until = end + Math.min(Math.max(end - at - CHEAP_MS, 0) * KEPT_PER_MS, MAX_KEPT_MS);
      },
      () => this.#kept.delete(name),
    );
    return survey;
  }

  async #run(appId: number, key: Key, fromDay: number | null): Promise<DatedSurvey> {
    const at = this.#now();
    const wanted = { fromDay, byValue: key.values !== null, most: MAX_VALUES_SHOWN };
    return { ...(await this.#storage.selections.survey(appId, key.keyNo, wanted)), at };
  }
}
