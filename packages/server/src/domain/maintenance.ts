import type { ApplicationRecord, Problem, Scrub, ScrubOutcome, Storage } from '../storage/port.ts';
import { completeSettings } from './applications/settings.ts';
import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;

/**
 * Purges expired rows and rotates keys, as far as the clock is trusted. Every replica does it: each step is safe to
 * repeat.
 */
export function runMaintenance(
  storage: Storage,
  keys: { rotateIfDue(): Promise<void> },
  clock: Pick<Clock, 'mayPurgeBefore' | 'mayRotate'>,
  onFailure: (error: unknown) => void,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  const histories = new HistoryPurge(storage);
  const events = new EventPurge(storage);
  let stopped = false;
  let inFlight: Promise<void> | undefined;

  const tidy = async (): Promise<void> => {
    const before = await clock.mayPurgeBefore();
    if (clock.mayRotate) await keys.rotateIfDue();
    if (before === undefined) return;
    const steps = [
      async () => (await storage.purgeExpired(before)) >= 1000,
      () => events.step(before),
      () => histories.step(before),
    ];
    // A backlog is left to the next runs: a clock whose mark does not move for minutes seems to have jumped.
    const until = performance.now() + everyMs;
    // Bounded batches with pauses in between, so that purging does not hold up requests.
    for (const step of steps) while (!stopped && (await step()) && performance.now() < until) await pause(50);
  };
  const timer = setInterval(
    () => {
      inFlight ??= tidy()
        .catch(onFailure)
        .finally(() => {
          inFlight = undefined;
        });
    },
    everyMs * (0.8 + Math.random() * 0.4),
  );
  timer.unref();

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await inFlight;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const DAY_MS = 86_400_000;
/** Each application is walked once an hour, some users at a time. */
const PURGE_EVERY_MS = 3_600_000;
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
    const applications = await this.#storage.applications.list();
    keepOnly(this.#walks, applications);
    const due = applications.flatMap((application) => this.#walkOf(application, before));
    for (const { appId, walk } of due) {
      const wanted = { before: before - walk.days * DAY_MS, after: walk.after, users: USERS };
      const { next } = await this.#storage.selections.purgeHistory(appId, wanted);
      walk.after = next;
      if (next === null) walk.nextAt = before + PURGE_EVERY_MS;
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

/** Deletes events older than the application's `eventsKept`, in ranges from the oldest on. */
class EventPurge {
  readonly #storage: Storage;
  readonly #done = new Map<number, { days: number; nextAt: number }>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Deletes the next range for each application that is due; returns whether there is more to do right away. */
  async step(before: number): Promise<boolean> {
    let more = false;
    const applications = await this.#storage.applications.list();
    keepOnly(this.#done, applications);
    for (const { appId, settings } of applications) {
      const days = completeSettings(settings).eventsKept;
      const done = this.#done.get(appId);
      if (done?.days === days && before < done.nextAt) continue;
      if ((await this.#storage.events.purge(appId, before - days * DAY_MS)) > 0) more = true;
      else this.#done.set(appId, { days, nextAt: before + PURGE_EVERY_MS });
    }
    return more;
  }
}

/** Drops what is kept for deleted applications. */
function keepOnly(kept: Map<number, unknown>, applications: readonly ApplicationRecord[]): void {
  const there = new Set(applications.map(({ appId }) => appId));
  for (const appId of kept.keys()) if (!there.has(appId)) kept.delete(appId);
}

const LOOK_MS = 60_000;
const AFTER_FAILURE_MS = 3600_000;

/**
 * Every process checks whether a scrub is due; the database stores the time of the last one, so only one process does
 * it.
 */
export function scrubRegularly(
  scrub: Scrub,
  { everyMs, now }: { everyMs: number; now(): number },
  report: { done(outcome: ScrubOutcome, seconds: number): void; failed(error: unknown): void },
): { stop(): Promise<void> } {
  let inFlight: Promise<void> | undefined;
  let notBefore = 0;

  const look = async (): Promise<void> => {
    const started = performance.now();
    try {
      const outcome = await scrub({ now: now(), unlessSince: now() - everyMs });
      if (outcome.outcome === 'not-due') return;
      if (outcome.outcome !== 'scrubbed') notBefore = started + AFTER_FAILURE_MS;
      report.done(outcome, (performance.now() - started) / 1000);
    } catch (error) {
      notBefore = started + AFTER_FAILURE_MS;
      report.failed(error);
    }
  };
  const timer = setInterval(
    () => {
      if (inFlight || performance.now() < notBefore) return;
      inFlight = look().finally(() => {
        inFlight = undefined;
      });
    },
    LOOK_MS * (0.8 + Math.random() * 0.4),
  ).unref();

  return {
    async stop() {
      clearInterval(timer);
      await inFlight;
    },
  };
}

const REPORT_MS = 1_000;
/** How soon a continuing problem is reported again, if its message has changed. */
const AGAIN_MS = 3_600_000;

/**
 * Reports once when a problem begins or its effect changes, and once when it is over; /readyz and the metrics show it
 * meanwhile. If its message changes (a clock that jumps again, a log that grows), it is reported again after an hour.
 */
export function reportProblems(
  problems: () => readonly Problem[],
  report: { begun(problem: Problem): void; over(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Map<Problem['kind'], Problem>();
  const reported = new Map<Problem['kind'], { message: string; at: number }>();
  const isNews = ({ kind, message, effect }: Problem): boolean => {
    if (known.get(kind)?.effect !== effect) return true;
    const last = reported.get(kind);
    return last?.message !== message && performance.now() - (last?.at ?? 0) > AGAIN_MS;
  };
  const look = (): void => {
    // The worst of a kind comes first.
    const found = new Map(
      problems()
        .toReversed()
        .map((problem) => [problem.kind, problem]),
    );
    for (const [kind, problem] of found) {
      if (!isNews(problem)) continue;
      reported.set(kind, { message: problem.message, at: performance.now() });
      report.begun(problem);
    }
    for (const kind of known.keys()) if (!found.has(kind)) report.over(kind);
    known = found;
  };
  const timer = setInterval(look, REPORT_MS).unref();
  return { stop: () => clearInterval(timer) };
}
