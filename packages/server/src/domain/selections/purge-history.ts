import type { ApplicationRecord, Storage } from '../../storage/port.ts';
import { completeSettings } from '../applications/settings.ts';

const DAY_MS = 86_400_000;
/** Each application is walked once an hour, some users at a time. */
const EVERY_MS = 3_600_000;
const USERS = 200;

type Walk = { days: number; after: string | null; nextAt: number };

/**
 * Deletes history older than the application's `historyKept`. There is no index by time, because every save would pay
 * for it: the users of an application are walked instead, and the position of the walk is kept only in memory.
 */
export class HistoryPurge {
  readonly #storage: Storage;
  readonly #walks = new Map<number, Walk>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The next step for each application that is due; returns whether there is more to do right away. */
  async step(before: number): Promise<boolean> {
    const due = (await this.#storage.applications.list()).flatMap((application) => this.#walkOf(application, before));
    for (const { appId, walk } of due) {
      const wanted = { before: before - walk.days * DAY_MS, after: walk.after, users: USERS };
      const { next } = await this.#storage.selections.purgeHistory(appId, wanted);
      walk.after = next;
      if (next === null) walk.nextAt = before + EVERY_MS;
    }
    return due.some(({ walk }) => walk.after !== null);
  }

  #walkOf({ appId, settings }: ApplicationRecord, now: number): { appId: number; walk: Walk }[] {
    const { historyKept, eventsKept } = completeSettings(settings);
    // Events refer to the history.
    const days = Math.max(historyKept, eventsKept);
    if (historyKept === 0) {
      this.#walks.delete(appId);
      return [];
    }
    let walk = this.#walks.get(appId);
    if (walk?.days !== days) {
      walk = { days, after: null, nextAt: now };
      this.#walks.set(appId, walk);
    }
    return walk.after !== null || walk.nextAt <= now ? [{ appId, walk }] : [];
  }
}
