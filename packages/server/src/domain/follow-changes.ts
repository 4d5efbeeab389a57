import type { Change, Storage } from '../storage/port.ts';

/** How often a replica checks for others' changes. Two attempts fit into the second within which changes must apply. */
const POLL_MS = 400;

export type ChangeHandlers = {
  reloadAll(): Promise<void>;
  reloadApplications(appIds: readonly number[]): Promise<void>;
  reloadCatalogs(appIds: readonly number[]): Promise<void>;
  reloadSecret(): Promise<void>;
  reloadSigningKeys(): Promise<void>;
  reloadWebhooks(): Promise<void>;
};

export type ChangeFollower = {
  /** Resolves after a check that began after the call; concurrent calls share one. */
  refresh(): Promise<void>;
  /** Time since the last successful check began: later changes may be unknown. */
  lagMs(): number;
  stop(): void;
};

/**
 * Keeps this process's memory in step with the database, no matter what changed it: another replica, another process on
 * the same file, the command line. Each check is one small indexed read. There is no notification channel that a pooler
 * or a network could lose.
 */
export async function followChanges(
  storage: Storage,
  handlers: ChangeHandlers,
  onFailure: (error: unknown) => void,
): Promise<ChangeFollower> {
  let inStepAt = performance.now();
  let version = (await storage.changes.since(Number.MAX_SAFE_INTEGER)).version;
  await handlers.reloadAll();

  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    const news = await storage.changes.since(version);
    if (news.version !== version) await apply(news);
    inStepAt = startedAt;
  };
  const apply = async (news: Awaited<ReturnType<Storage['changes']['since']>>): Promise<void> => {
    if (news.complete) {
      const changed = (subject: Change['subject']) => [
        ...new Set(news.changes.filter((change) => change.subject === subject).map((change) => change.appId ?? 0)),
      ];
      // First, because other changes may be sealed under the new one.
      if (changed('secret').length > 0) await handlers.reloadSecret();
      if (changed('application').length > 0) await handlers.reloadApplications(changed('application'));
      if (changed('catalog').length > 0) await handlers.reloadCatalogs(changed('catalog'));
      if (changed('signing-keys').length > 0) await handlers.reloadSigningKeys();
      if (changed('webhooks').length > 0) await handlers.reloadWebhooks();
    } else {
      await handlers.reloadAll();
    }
    version = news.version;
  };

  let inFlight: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    inFlight = look().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
  const refresh = (): Promise<void> => {
    if (!inFlight) return start();
    // The check in flight may have read too early for this caller: wait for the next.
    next ??= inFlight.then(start, start);
    return next;
  };

  // The next check makes up for a failed one. Only the first of several failures is reported: an outage would fill the
  // log.
  let isFailing = false;
  const poll = async (): Promise<void> => {
    try {
      await refresh();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();
  return { refresh, lagMs: () => performance.now() - inStepAt, stop: () => clearInterval(timer) };
}
