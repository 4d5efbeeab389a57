import type { Service } from '../domain/service.ts';
import { pauses } from '../domain/slices.ts';
import { orderedUuid } from '../ordered-uuid.ts';
import type { NewLoggedRequest } from '../storage/port.ts';
import { type Exchanged, type SeenRequest, toLoggedRequest } from './logged-request.ts';
import { Sampling } from './sampling.ts';

const FLUSH_MS = 1_000;
/** What waits for the next flush; beyond it, requests are counted and not logged. */
const MAX_WAITING = 500;
const MAX_BYTES = 8 * 1024 * 1024;
/** Of each application, this many of the newest are kept. */
const KEPT = 1000;
/** After so many new ones of an application, its oldest go: so much more than KEPT may be there for each process. */
const TRIM_AFTER = 200;

/**
 * Counts the requests of every application and logs the latest ones. On the way of a request it only remembers what is
 * there anyway; looking into bodies, masking and writing happen afterwards, once a second, in one act.
 */
export class RequestLog {
  readonly #service: Service;
  readonly #isOn: boolean;
  readonly #onFailure: (error: unknown) => void;
  readonly #sampling = new Sampling();
  readonly #timer: NodeJS.Timeout;
  /** How many were added since an application was trimmed. */
  readonly #added = new Map<number, number>();
  #waiting: SeenRequest[] = [];
  #bytes = 0;
  #underWay: Promise<void> = Promise.resolve();

  constructor(service: Service, isOn: boolean, onFailure: (error: unknown) => void) {
    this.#service = service;
    this.#isOn = isOn;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** After the answer has left. What it was is asked for only where it is kept. */
  observe(appId: number, code: string | undefined, read: () => Exchanged): void {
    const { activity, now } = this.#service;
    activity.count(appId, 'requests');
    if (code !== undefined) activity.count(appId, `error:${code}`);
    if (!this.#isOn) return;
    const at = now();
    if (!this.#sampling.takes(appId, code === undefined ? 'answers' : 'errors', at)) return;
    const seen = read();
    const { body, answer } = seen;
    const bytes = (body?.length ?? 0) + (typeof answer === 'string' || Buffer.isBuffer(answer) ? answer.length : 0);
    if (this.#waiting.length >= MAX_WAITING || this.#bytes + bytes > MAX_BYTES) return;
    this.#bytes += bytes;
    this.#waiting.push({ requestUid: orderedUuid(), appId, at, code, ...seen });
  }

  /** Resolves when what was seen before the call is in the database, or was given up. */
  flush(): Promise<void> {
    this.#underWay = this.#underWay.then(() => this.#write());
    return this.#underWay;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const seen = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    try {
      const logged: NewLoggedRequest[] = [];
      const pause = pauses();
      for (const each of seen) {
        logged.push(toLoggedRequest(each));
        const paused = pause();
        if (paused) await paused;
      }
      await this.#service.storage.requestLog.add(logged);
      await this.#trim(logged);
    } catch (error) {
      // They are not tried again: a database in trouble has better things to do.
      this.#onFailure(error);
    }
  }

  async #trim(logged: readonly NewLoggedRequest[]): Promise<void> {
    for (const { appId } of logged) this.#added.set(appId, (this.#added.get(appId) ?? 0) + 1);
    for (const [appId, added] of this.#added) {
      if (added < TRIM_AFTER) continue;
      this.#added.delete(appId);
      await this.#service.storage.requestLog.trim(appId, KEPT);
    }
  }
}
