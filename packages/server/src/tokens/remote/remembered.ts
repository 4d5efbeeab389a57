/** Between loads that nobody waits for. */
const RETRY_MS = 1_000;

export type Remembered<T> = {
  /** What is held, loaded first if need be. An old value is served while a newer one is fetched behind it. */
  get(): Promise<T>;
  /** A value no older than `maxAgeMs`. */
  getNewer(maxAgeMs: number): Promise<T>;
};

/**
 * Something published by the token service that changes rarely: its metadata, its keys. Everybody who needs it shares one
 * load, and an outage does not take away what is already known. A failure is not remembered: who gets one asked before that load began.
 */
export function createRemembered<T>(options: {
  load(): Promise<T>;
  freshMs: number;
  keptMs: number;
  now?: () => number;
}): Remembered<T> {
  const { load, freshMs, keptMs, now = () => performance.now() } = options;
  let held: { value: T; loadedAt: number } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<T> | undefined;

  async function loadOnce(): Promise<T> {
    try {
      const value = await load();
      held = { value, loadedAt: now() };
      return value;
    } catch (error) {
      failedAt = now();
      throw error;
    } finally {
      loading = undefined;
    }
  }

  async function reload(): Promise<T> {
    if (loading) {
      try {
        return await loading;
      } catch {
        // It began before this caller came.
      }
    }
    loading ??= loadOnce();
    return loading;
  }

  return {
    async get() {
      if (!held || now() - held.loadedAt >= keptMs) return reload();
      // Not waited for, and a failure changes nothing for this caller: the cached value is valid for some time yet.
      const isDue = now() - held.loadedAt >= freshMs && now() - failedAt >= RETRY_MS;
      if (isDue && !loading) reload().catch(() => undefined);
      return held.value;
    },
    async getNewer(maxAgeMs) {
      if (held && now() - held.loadedAt < maxAgeMs) return held.value;
      return reload();
    },
  };
}
