import type { Storage } from '../../storage/port.ts';
import { completeSettings } from '../applications/settings.ts';

const DAY_MS = 86_400_000;
/** Each application is checked once an hour, and when its setting changes. */
const EVERY_MS = 3_600_000;

/** Deletes events older than the application's `eventsKept`, in ranges from the oldest on. */
export class EventPurge {
  readonly #storage: Storage;
  readonly #done = new Map<number, { days: number; nextAt: number }>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Deletes the next range for each application that is due; returns whether there is more to do right away. */
  async step(before: number): Promise<boolean> {
    let more = false;
    for (const { appId, settings } of await this.#storage.applications.list()) {
      const days = completeSettings(settings).eventsKept;
      const done = this.#done.get(appId);
      if (done?.days === days && before < done.nextAt) continue;
      if ((await this.#storage.events.purge(appId, before - days * DAY_MS)) > 0) more = true;
      else this.#done.set(appId, { days, nextAt: before + EVERY_MS });
    }
    return more;
  }
}
